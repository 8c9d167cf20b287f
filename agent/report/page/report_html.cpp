// The html report: the flame graph page with the stacks of the run, of all records and of time as
// its data.
//
// The data is one JSON object; page_data.js is its only reader. Names stand in it as they are, so
// that the file can be searched with grep:
//   summary         as in the jsonl report
//   recorded_bytes, recorded_count
//                   sums over the records, not over the tree: the page checks one with the other
//   oldest_ms, newest_ms
//   threads         [id, name, bytes, count, allocated or null, seen or null], of the records; seen
//                   and allocated of the whole run, and how often
//   names, origins, files, frames, classes, thread_names
//                   as page_names.h says
//   recent, run, live
//                   of the records, of the whole run, where sites were counted, and of what is alive:
//                   bytes, count, nodes (with the root) and tree: page_tree.h. The tree of the recent
//                   ones stands below threads, and they have moments as well
//   time_alone      allocations were not asked for, what stands above is empty
//   times, samples, locks
//                   as report_html_time.cpp says
#include <string>
#include <vector>

#include "core/jvm_text.h"
#include "report/page/report_page.h"
#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_sites.h"
#include "report/report_time.h"

namespace ddm {
namespace {

class PageData {
 public:
  explicit PageData(const ReportData& data)
      : data_(data), names_(data.names), page_names_(names_) {}

  std::string json() {
    out_ = R"({"summary":{)";
    append_summary_members(out_, data_);
    const WeightedSum sum = recorded(data_.records);
    out_ += '}';
    append_json_member(out_, "recorded_bytes", sum.bytes());
    append_json_member(out_, "recorded_count", sum.count());
    const RecordSet& records = data_.records;
    append_json_member(out_, "oldest_ms",
                       records.empty() ? 0 : records[records.size() - 1].record.time_ms);
    append_json_member(out_, "newest_ms", records.empty() ? 0 : records[0].record.time_ms);
    threads();
    std::vector<PageSource> sources = allocations(sum);
    std::vector<PageSource> times = page_time_sources(data_.time, page_names_);
    for (const PageSource& source : sources) source.tree.use_names();
    for (const PageSource& source : times) source.tree.use_names();
    page_names_.rank();
    page_names_.append_to(out_);
    for (PageSource& source : sources) {
      append_page_source(out_, source);
      out_ += '}';
    }
    if (has_time_only(data_)) out_ += ",\n\"time_alone\":true";
    append_page_time(out_, data_.time, names_, times);
    out_ += '}';
    return std::move(out_);
  }

 private:
  std::vector<PageSource> allocations(const WeightedSum& recorded) {
    std::vector<PageSource> sources;
    const auto add = [&](const char* name, std::int64_t bytes, std::int64_t count,
                         PageTree::With with) -> PageTree& {
      return sources
          .emplace_back(PageSource{name, "bytes", bytes, count, with, PageTree(page_names_)})
          .tree;
    };
    if (!has_time_only(data_)) {
      add("recent", recorded.bytes(), recorded.count(), PageTree::With::kAmount)
          .add(data_.records, data_);
    }
    if (data_.sites.counted()) {
      add("run", data_.summary.seen_bytes, data_.summary.seen, PageTree::With::kAmount)
          .add(data_.sites);
    }
    if (const auto& live = data_.summary.live) {
      add("live", live->bytes, live->count, PageTree::With::kAges).add(data_.sites.living(), true);
    }
    return sources;
  }

  void threads() {
    out_ += ",\n\"threads\":";
    append_json_array(out_, threads_of(data_), [&](const ThreadTotal& thread) {
      out_ += '[';
      append_json_values(out_, thread.thread_id, printable(thread.name), thread.bytes,
                         thread.count);
      out_ += ',';
      if (const ThreadBytes* const books = thread.account) {
        append_json_values(out_, books->allocated_bytes, books->seen_bytes, books->seen);
      } else {
        out_ += "null,null,null";
      }
      out_ += ']';
    });
  }

  const ReportData& data_;
  ReportNames names_;
  PageNames page_names_;
  std::string out_;
};

}  // namespace

void append_page_source(std::string& out, PageSource& source) {
  out.append(",\n\"").append(source.name).append("\":{");
  if (!source.amount_name.empty()) append_json_member(out, source.amount_name, source.amount);
  append_json_member(out, "count", source.count);
  append_json_member(out, "nodes", source.tree.size());
  out += ",\n\"tree\":\"";
  source.tree.append_text(out, source.with);
  out += '"';
  if (!source.tree.has_moments()) return;
  out += ",\n\"moments\":";
  source.tree.append_moments(out);
}

std::string page_of(std::string_view data) {
  constexpr std::string_view kPageDataHere = "REPORT_DATA_HERE";  // in page.html
  std::string page(kPageTemplate);
  page.replace(page.find(kPageDataHere), kPageDataHere.size(), data);
  return page;
}

std::string html_report(const ReportData& data) { return page_of(PageData(data).json()); }

}  // namespace ddm
