#include "saved_records.h"

#include <algorithm>
#include <cmath>

#include "report/report_words.h"

namespace ddm {
namespace {

// How a site's line begins: they come before the records, and are passed over unread.
constexpr std::string_view kSiteLine = R"({"type":"site")";
// The smallest object at the largest interval= stands for less.
constexpr double kMostWeight = 1e9;

}  // namespace

bool RecordReader::feed(std::string_view piece) {
  return lines_.feed(piece, [this](std::string_view text) { return line(text); });
}

bool RecordReader::line(std::string_view text) {
  if (text.starts_with(kSiteLine) && !summary_.is_null()) return true;
  Json object = parsed_json(text);
  const std::string type = object.is_object() ? text_of(object, "type") : std::string();
  if (type == "summary") {
    if (!summary_.is_null()) problem_ = "a second report begins in it";
    summary_ = std::move(object);
  } else if (summary_.is_null()) {
    problem_ = "its first line is no summary";
  } else if (type == "record") {
    record(object);
  } else if (type.empty()) {
    problem_ = "it has a line that is no JSON object with a type";
  }
  return problem_.empty();
}

void RecordReader::record(const Json& object) {
  ++records_;
  // As the report's own type, of which estimates are sums.
  float weight = 1;
  if (const auto told = object.find("weight"); told != object.end() && told->is_number()) {
    weight = static_cast<float>(std::clamp(told->get<double>(), 0.0, kMostWeight));
  }
  const auto add = [&](Sum& sum) {
    sum.bytes += static_cast<double>(number_of(object, "size")) * double{weight};
    sum.count += double{weight};
  };
  SiteFigure site;
  name_by_stack(site, array_of(object, "stack"));
  add(sites_[{text_of(object, "class"), site.at, site.app}]);
  const auto thread = object.find("thread");
  if (thread != object.end() && thread->is_object()) {
    add(threads_[{number_of(*thread, "id"), text_of(*thread, "name")}]);
  }
}

Result<SiteFigures> RecordReader::finish() {
  if (!lines_.rest().empty() && problem_.empty()) line(lines_.rest());
  if (problem_.empty() && summary_.is_null()) problem_ = "it is empty";
  if (!problem_.empty()) return Error{problem_};
  if (const std::int64_t told = number_of(summary_, "recorded"); told != records_) {
    return Error{fmt::format("it has {} of its {} records", grouped(records_), grouped(told))};
  }
  SiteFigures figures;
  figures.summary = std::move(summary_);
  for (const auto& [key, sum] : sites_) {
    const auto& [class_name, at, app] = key;
    figures.sites.push_back(
        {class_name, at, app, std::llround(sum.bytes), std::llround(sum.count)});
  }
  for (const auto& [thread, sum] : threads_) {
    figures.threads.push_back(
        {thread.first, thread.second, std::llround(sum.bytes), std::llround(sum.count)});
  }
  return figures;
}

Result<SiteFigures> read_recent_file(const std::string& path) {
  if (path.ends_with(".sites.jsonl")) {
    return Error{path + " is of sites, without single records; .jsonl reports have them"};
  }
  auto figures = read_report(path, RecordReader());
  if (figures && text_of(figures->summary, "engine") == kEngineMalloc) {
    return Error{path + " is of native memory, which `ddm native` shows"};
  }
  return figures;
}

}  // namespace ddm
