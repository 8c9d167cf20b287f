#include "site_figures.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "core/jvm_text.h"
#include "report/below_method.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_sites.h"
#include "report/report_words.h"
#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

// How a site's line begins: they come before the records.
constexpr std::string_view kSiteLine = R"({"type":"site")";
// The smallest object at the largest interval= stands for less.
constexpr double kMostWeight = 1e9;

FrameName shown_frame(const FrameLine& shown, ReportNames& names) {
  if (!shown.known) return {};
  const PrintableMethod& method = names.method(shown.method);
  return {method.class_name, method.method, method.file, shown.line};
}

Result<SiteFigures> read_report(const std::string& path, FigureReader reader) {
  const auto unread = read_pieces(path, [&](std::string_view piece) { return reader.feed(piece); });
  if (unread) return *unread;
  auto figures = reader.finish();
  if (!figures) return Error{path + " is no whole jsonl report: " + figures.message()};
  return figures;
}

}  // namespace

std::string why_no_sites(const Json& summary) {
  std::string why = text_of(summary, "sites_missing");
  if (!why.empty()) return why;
  return text_of(summary, "engine").empty() ? "tracking was never on" : "sites=0 was given";
}

FrameName frame_of(const Json& frame) {
  if (!frame.is_object()) return {};
  return {text_of(frame, "class"), text_of(frame, "method"), text_of(frame, "file"),
          static_cast<int>(number_of(frame, "line"))};
}

LiveAges ages_of(const Json& object) {
  LiveAges ages;
  for (const Json& one : array_of(object, "live_ages")) {
    if (!one.is_object()) continue;
    const std::int64_t survived = std::max<std::int64_t>(number_of(one, "survived"), 0);
    const std::size_t age_class = AgeClass::of(static_cast<std::uint64_t>(survived));
    ages.count[age_class] += number_of(one, "count");
    ages.bytes[age_class] += number_of(one, "bytes");
  }
  return ages;
}

std::string frame_text(const FrameName& frame, std::size_t width) {
  if (!frame.known()) return "(no Java frame)";
  PrintableMethod method;
  method.class_name = printable(frame.class_name);
  method.method = printable(frame.method);
  method.qualified =
      method.class_name == method.method ? method.method : method.class_name + "." + method.method;
  return shortened_frame(method, place_text(printable(frame.file), frame.line), width);
}

FrameName first_outside_jdk(const Json& stack) {
  if (!stack.is_array() || stack.empty()) return {};
  return frame_of(stack[representative_frame(
      stack.size(), [&](std::size_t i) { return text_of(stack[i], "class"); })]);
}

void name_by_stack(SiteFigure& site, const Json& stack) {
  if (!stack.is_array() || stack.empty()) return;
  site.at = frame_of(stack.front());
  site.app = first_outside_jdk(stack);
}

std::int64_t SiteFigures::fact(const char* name) const {
  return summary.is_object() ? number_of(summary, name) : 0;
}

SiteFigures figures_of(const ReportData& data) {
  SiteFigures figures;
  ReportNames names(data.names);
  for (const AllocSite& site : sites_of(data, names, SiteFrame::kBoth)) {
    figures.sites.push_back({names.class_name(site.class_id), shown_frame(site.at, names),
                             shown_frame(site.app, names), site.bytes, site.count});
  }
  for (const ThreadTotal& thread : threads_of(data)) {
    figures.threads.push_back({thread.thread_id, thread.name, thread.bytes, thread.count});
  }
  return figures;
}

std::string without_number(std::string name) {
  constexpr std::string_view kDigits = "0123456789", kAddress = "/0x", kEnds = " .";
  const auto end_of_number = [&](std::size_t at) {
    return std::min(name.find_first_not_of(kDigits, at), name.size());
  };
  for (std::size_t at = name.find(kAddress); at != std::string::npos;
       at = name.find(kAddress, at)) {
    name.erase(at, name.find_first_not_of("0123456789abcdef", at + kAddress.size()) - at);
  }
  for (const std::string_view head : {"$Proxy", "jdk.proxy"}) {
    for (std::size_t at = name.find(head); at != std::string::npos; at = name.find(head, at)) {
      const bool begins = at == 0 || kEnds.find(name[at - 1]) != std::string_view::npos;
      at += head.size();
      if (begins) name.erase(at, end_of_number(at) - at);
    }
  }
  for (std::size_t at = 0; (at = name.find('$', at)) != std::string::npos;) {
    const std::size_t end = end_of_number(at + 1);
    const std::string_view before = std::string_view(name).substr(0, at);
    const std::string_view word = before.substr(before.find_last_of(kEnds) + 1);
    const bool of_lambda = word.find("lambda$") != std::string_view::npos || word == "lambda" ||
                           word.ends_with("$lambda") || word.ends_with("$$Lambda");
    if (of_lambda && end > at + 1) {
      name.erase(at, end - at);
    } else {
      ++at;
    }
  }
  return name;
}

std::optional<bool> is_below(const Json& site, const std::string& method) {
  const bool has_frame = std::ranges::any_of(array_of(site, "stack"), [&](const Json& frame) {
    MethodName name;
    name.class_name = text_of(frame, "class");
    name.method = text_of(frame, "method");
    return is_called(name, method);
  });
  if (!has_frame && is_cut(site)) return {};
  return has_frame;
}

// As the report's own type, of which estimates are sums.
float weight_of(const Json& record) {
  const auto told = record.find("weight");
  if (told == record.end() || !told->is_number()) return 1;
  return static_cast<float>(std::clamp(told->get<double>(), 0.0, kMostWeight));
}

bool is_cut(const Json& line) {
  const auto cut = line.find("truncated");
  return cut != line.end() && *cut == true;
}

bool FigureReader::feed(std::string_view piece) {
  return lines_.feed(piece, [this](std::string_view text) { return line(text); });
}

// Of sites and records, which make up most of a report, only those that are wanted are parsed; the
// others are looked through for another report behind them.
bool FigureReader::line(std::string_view text) {
  const bool of_records = objects_ == Objects::kRecorded;
  const std::string_view passed_over = of_records ? kSiteLine : kRecordLine;
  if (text.starts_with(passed_over) && !figures_.summary.is_null()) return true;
  const Json object = parsed_json(text);
  const std::string type = object.is_object() ? text_of(object, "type") : std::string();
  if (type == "summary") {
    if (auto second = site_lines_.summary(object)) problem_ = second->message;
    if (figures_.summary.is_null()) {
      figures_.summary = object;
      figures_.cut_bytes = figures_.fact("below_unknown_bytes");
    }
    return problem_.empty();
  }
  if (figures_.summary.is_null()) {
    problem_ = "its first line is no summary";
    return false;
  }
  if (type == "record") {
    if (of_records) record(object);
  } else if (type == "site" && !of_records) {
    site_lines_.site(object);
    SiteFigure site;
    site.class_name = text_of(object, "class");
    site.bytes = number_of(object, objects_ == Objects::kLive ? "live_bytes" : "bytes");
    const auto wanted = below_.empty() ? true : is_below(object, below_);
    if (!wanted) figures_.cut_bytes += site.bytes;
    if (!wanted.value_or(false)) return true;
    site.count = number_of(object, objects_ == Objects::kLive ? "live_count" : "count");
    site.ages = ages_of(object);
    if (object.contains("stack")) {
      name_by_stack(site, object["stack"]);
    } else if (object.contains("at")) {
      site.at = frame_of(object["at"]);
      site.app = object.contains("app") ? frame_of(object["app"]) : FrameName{};
    }
    figures_.sites.push_back(std::move(site));
  } else if (type == "monitor" || type == "method" || type == "sample") {
    ++figures_.time_lines;
    if (type == "monitor") figures_.monitors.push_back(object);
  } else if (type.empty()) {
    problem_ = "it has a line that is no JSON object with a type";
  }
  return problem_.empty();
}

void FigureReader::record(const Json& object) {
  ++records_;
  const float weight = weight_of(object);
  const auto add = [&](Sum& sum) {
    sum.bytes += static_cast<double>(number_of(object, "size")) * double{weight};
    sum.count += double{weight};
  };
  SiteFigure site;
  name_by_stack(site, array_of(object, "stack"));
  add(recorded_sites_[{text_of(object, "class"), site.at, site.app}]);
  const auto thread = object.find("thread");
  if (thread != object.end() && thread->is_object()) {
    add(recorded_threads_[{number_of(*thread, "id"), text_of(*thread, "name")}]);
  }
}

Result<SiteFigures> FigureReader::finish() {
  if (!lines_.rest().empty()) line(lines_.rest());
  if (problem_.empty() && figures_.summary.is_null()) problem_ = "it is empty";
  if (!problem_.empty()) return Error{problem_};
  if (objects_ == Objects::kRecorded) {
    if (const std::int64_t told = figures_.fact("recorded"); told != records_) {
      return Error{fmt::format("it has {} of its {} records", grouped(records_), grouped(told))};
    }
    for (const auto& [key, sum] : recorded_sites_) {
      const auto& [class_name, at, app] = key;
      figures_.sites.push_back(
          {class_name, at, app, std::llround(sum.bytes), std::llround(sum.count)});
    }
    for (const auto& [thread, sum] : recorded_threads_) {
      figures_.threads.push_back(
          {thread.first, thread.second, std::llround(sum.bytes), std::llround(sum.count)});
    }
    return std::move(figures_);
  }
  if (objects_ == Objects::kAllocated || site_lines_.told()) {
    if (auto cut = site_lines_.check()) return *cut;
  }
  for (const Json& thread : array_of(figures_.summary, "threads")) {
    if (!thread.is_object()) continue;
    figures_.threads.push_back({number_of(thread, "id"), text_of(thread, "name"),
                                number_of(thread, "seen_bytes"), number_of(thread, "seen")});
  }
  return std::move(figures_);
}

bool is_file(const std::string& path) {
  struct stat there {};
  return stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
}

bool is_saved_report(const std::string& target) {
  return target.ends_with(".jsonl") && is_file(target);
}

std::string no_target_text(const std::string& target, const std::string& problem) {
  if (is_file(target)) {
    return target + " is a file of a format that is not read; .jsonl and .sites.jsonl reports are";
  }
  return report_format_of(target) ? target + ": there is no such file" : problem;
}

Result<SiteFigures> read_figures_file(const std::string& path, const std::string& below) {
  return read_report(path, FigureReader(FigureReader::Objects::kAllocated, below));
}

Result<SiteFigures> read_live_file(const std::string& path) {
  auto figures = read_report(path, FigureReader(FigureReader::Objects::kLive));
  if (!figures) return figures;
  if (!figures->summary.contains("gc")) {
    return Error{path + " does not tell what was alive: live= was off"};
  }
  std::erase_if(figures->sites, [](const SiteFigure& site) { return site.count == 0; });
  return figures;
}

Result<SiteFigures> read_recent_file(const std::string& path) {
  if (path.ends_with(".sites.jsonl")) {
    return Error{path + " is of sites, without single records; .jsonl reports have them"};
  }
  auto figures = read_report(path, FigureReader(FigureReader::Objects::kRecorded));
  if (figures && text_of(figures->summary, "engine") == kEngineMalloc) {
    return Error{path + " is of native memory, which `ddm native` shows"};
  }
  return figures;
}

}  // namespace ddm
