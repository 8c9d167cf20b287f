#include "difference_page.h"

#include <utility>

#include "report/page/page_numbers.h"
#include "report/page/report_page.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "site_figures.h"

namespace ddm {
namespace {

constexpr std::string_view kDataBegins = R"(<script id="data" type="application/json">)";

// Json::at() throws an exception that names what is wrong with a page's data.
template <typename Use>
std::optional<Error> checked(const Use& use) {
  try {
    return use();
  } catch (const Json::exception&) {
    return Error{"it is no page of this program's version"};
  }
}

Json facts_of(Json summary) {
  summary.erase("type");
  return summary;
}

}  // namespace

DifferencePage::DifferencePage() : no_names_(nullptr), names_(no_names_), tree_(names_) {}

void DifferencePage::add(std::int64_t bytes, std::int64_t count, Side side) {
  PageFigures& figures = tree_.figures_of(path_);
  const bool before = side == kBefore;
  (before ? figures.amount_before : figures.amount) += static_cast<double>(bytes);
  (before ? figures.count_before : figures.count) += static_cast<double>(count);
  OneSide& sums = sides_[side];
  sums.bytes += bytes;
  sums.count += count;
}

std::optional<Error> DifferencePage::add_line(const Json& line, Side side) {
  const std::string type = line.is_object() ? text_of(line, "type") : std::string();
  OneSide& mine = sides_[side];
  if (type == "summary") {
    if (auto second = mine.site_lines.summary(line)) return second;
  }
  if (mine.summary.is_null()) {
    if (type != "summary") return Error{"its first line is no summary"};
    if (!line.contains("sites")) {
      return Error{"it has no figures of a whole run: " + why_no_sites(line)};
    }
    mine.summary = facts_of(line);
    return {};
  }
  if (type != "site") return {};
  mine.site_lines.site(line);
  path_.clear();
  if (line.contains("truncated")) path_.push_back(names_.word(kDeeperFramesCut));
  const auto stack = line.find("stack");
  if (stack == line.end() || !stack->is_array()) return Error{"its sites have no stacks"};
  for (auto frame = stack->rbegin(); frame != stack->rend(); ++frame) {
    if (!frame->is_object()) return Error{"a frame of it is no object"};
    const std::string type_of = without_number(text_of(*frame, "class")),
                      method = without_number(text_of(*frame, "method"));
    path_.push_back(names_.frame(type_of, method, text_of(*frame, "file"),
                                 static_cast<int>(number_of(*frame, "line"))));
  }
  path_.push_back(names_.class_named(without_number(text_of(line, "class"))));
  add(number_of(line, "bytes"), number_of(line, "count"), side);
  return {};
}

std::optional<Error> DifferencePage::add_page(std::string_view page, Side side) {
  const std::size_t begin = page.find(kDataBegins);
  if (begin == std::string_view::npos) return Error{"it is no page of a report"};
  const std::string_view rest = page.substr(begin + kDataBegins.size());
  const std::size_t end = rest.find("</script");
  if (end == std::string_view::npos) return Error{"it is cut"};
  const Json data = parsed_json(rest.substr(0, end));
  if (!data.is_object()) return Error{"it is damaged"};
  return checked([&]() -> std::optional<Error> {
    if (!data.contains("run")) {
      return Error{"it has no figures of a whole run: " +
                   why_no_sites(data.value("summary", Json::object()))};
    }
    OneSide& mine = sides_[side];
    mine.summary = data.at("summary");
    const auto& methods = data.at("names").get_ref<const Json::array_t&>();
    const std::string& origins = data.at("origins").get_ref<const std::string&>();
    const auto& files = data.at("files").get_ref<const Json::array_t&>();
    std::vector<PageNames::Name> frames, classes;
    const Json& columns = data.at("frames");
    for (std::size_t i = 0; i < columns.at(0).size(); ++i) {
      const std::size_t method = columns.at(0).at(i), file = columns.at(1).at(i);
      if (method >= methods.size() || method >= origins.size() || file >= files.size()) {
        return Error{"it is damaged"};
      }
      frames.push_back(names_.frame_named(without_number(methods[method].get<std::string>()),
                                          files[file], columns.at(2).at(i), origins[method]));
    }
    for (const Json& one : data.at("classes")) {
      classes.push_back(names_.class_named(without_number(one.get<std::string>())));
    }
    path_.clear();
    PageNumbers numbers(data.at("run").at("tree").get_ref<const std::string&>());
    while (numbers.more()) {
      const std::uint64_t head = numbers.next(), place = numbers.next(), up = head / 4;
      const bool is_class = head % 4 == 2;
      const std::vector<PageNames::Name>& names = is_class ? classes : frames;
      if (head % 4 > 2 || up > path_.size() || place >= names.size()) return Error{"it is damaged"};
      path_.resize(path_.size() - up);
      path_.push_back(names[place]);
      if (head % 4 == 0) continue;
      const auto bytes = static_cast<std::int64_t>(numbers.next());
      add(bytes, static_cast<std::int64_t>(numbers.next()), side);
    }
    return numbers.damaged() ? std::optional<Error>(Error{"it is damaged"}) : std::nullopt;
  });
}

void DifferencePage::add_records(const ReportData& data, Side side) {
  std::string summary = "{";
  append_summary_members(summary, data);
  sides_[side].summary = parsed_json(summary + "}");
  ReportNames names(data.names);
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    const auto entry = data.records[i];
    path_.clear();
    for (std::size_t f = entry.frames.size(); f-- > 0;) {
      const Frame& frame = entry.frames[f];
      const PrintableMethod& method = names.method(frame.method);
      path_.push_back(
          names_.frame(method.class_name, method.method, method.file, names.line(frame)));
    }
    path_.push_back(names_.class_named(names.class_name(entry.record.class_id)));
    const auto count = static_cast<std::int64_t>(entry.record.weight);
    add(entry.record.size * count, count, side);
  }
}

std::optional<Error> DifferencePage::add_file(const std::string& path, Side side) {
  const bool is_page = !path.ends_with(".jsonl");
  std::string page;
  LineSplitter lines;
  std::optional<Error> problem;
  const auto add = [&](std::string_view line) {
    if (!line.starts_with(kRecordLine)) problem = add_line(parsed_json(line), side);
    return !problem;
  };
  const auto unread = read_pieces(path, [&](std::string_view piece) {
    if (is_page) page += piece;
    return is_page || lines.feed(piece, add);
  });
  if (unread) return unread;
  if (is_page) problem = add_page(page, side);
  if (!lines.rest().empty()) add(lines.rest());
  if (!problem && !is_page && sides_[side].summary.is_null()) problem = Error{"it is empty"};
  if (!problem && !is_page) problem = sides_[side].site_lines.check();
  if (problem) return Error{path + ": " + problem->message};
  return {};
}

std::string DifferencePage::html(const std::string& caption) {
  tree_.use_names();
  names_.rank();
  std::string out = "{\"summary\":" + json_in_script(sides_[kAfter].summary) +
                    ",\n\"before\":" + json_in_script(sides_[kBefore].summary) + ",\n\"words\":";
  append_json_string(out, caption);
  out +=
      ",\"recorded_bytes\":0,\"recorded_count\":0,\"oldest_ms\":0,\"newest_ms\":0,\"threads\":[]";
  names_.append_to(out);
  out += ",\n\"changes\":{";
  const std::array<std::pair<const char*, std::int64_t>, 5> facts = {
      {{"bytes", sides_[kAfter].bytes},
       {"count", sides_[kAfter].count},
       {"bytes_before", sides_[kBefore].bytes},
       {"count_before", sides_[kBefore].count},
       {"nodes", static_cast<std::int64_t>(tree_.size())}}};
  for (const auto& [name, value] : facts) {
    out.append("\"").append(name).append("\":");
    append_json_number(out, value);
    out += ',';
  }
  out += "\n\"tree\":\"";
  tree_.append_text(out, PageTree::With::kBefore);
  out += "\"}}";
  return page_of(out);
}

}  // namespace ddm
