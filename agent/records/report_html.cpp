// The html report: the flame graph page with the merged stacks of the run and of all records as its
// data.
//
// The data is one JSON object; flame_graph.js is its only reader. Names stand in it as they are,
// so that the file can be searched with grep:
//   summary         as in the jsonl report
//   recorded_bytes, recorded_count
//                   sums over the records, not over the tree: the page checks one with the other
//   oldest_ms, newest_ms
//   frames, classes names; tree.name counts through both: frames first, then classes
//   tree            columns parent, name, bytes, count; [0] is the root, parents come first;
//                   bytes and count are those of leaves (classes), 0 elsewhere
//   site_count      all sites there are
//   sites           [class, frame or "", place, bytes, count], the largest by bytes or by count
//   threads         [id, name, bytes, count, allocated or null, seen or null]
//   run             of the whole run, where sites were counted: bytes, count, frames, classes,
//   tree,
//                   site_count, sites as above; app_site_count and app_sites with the first frame
//                   outside the JDK in place of the one that allocates. Bars of less than one part
//                   in kParts stand together, one below each frame.
#include <algorithm>
#include <string>
#include <tuple>

#include "records/flame_graph.h"
#include "records/report.h"
#include "records/report_json.h"
#include "records/report_names.h"
#include "records/report_sites.h"
#include "records/report_stacks.h"
#include "records/report_utf8.h"

namespace ddm {
namespace {

constexpr std::size_t kPageSites = 50;
// A page of 1,400 pixels shows no bar below one part in 2,800; zoomed in, some more are wanted.
constexpr std::int64_t kParts = 20'000;
constexpr std::size_t kTreeFrames = 4 * kSpeltOutFrames;

template <typename Range, typename Append>
void append_array(std::string& out, const Range& range, Append append) {
  out += '[';
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += ',';
    first = false;
    append(element);
  }
  out += ']';
}

class PageData {
 public:
  explicit PageData(const ReportData& data) : data_(data), names_(data.names) {}

  std::string json() {
    out_ = R"({"summary":{)";
    append_summary_members(out_, data_);
    out_ += R"(},"recorded_bytes":)";
    const WeightedSum sum = recorded(data_.records);
    number(sum.bytes());
    out_ += R"(,"recorded_count":)";
    number(sum.count());
    time_span();
    tree(stack_tree_of(data_.records, names_));
    sites("", sites_of(data_.records, names_));
    threads();
    if (data_.sites.counted()) whole_run();
    out_ += '}';
    return std::move(out_);
  }

 private:
  void number(std::int64_t value) { append_json_number(out_, value); }
  void text(std::string_view value) { append_json_string(out_, value); }

  void time_span() {
    const RecordSet& records = data_.records;
    out_ += R"(,"oldest_ms":)";
    number(records.empty() ? 0 : records[records.size() - 1].record.time_ms);
    out_ += R"(,"newest_ms":)";
    number(records.empty() ? 0 : records[0].record.time_ms);
  }

  void whole_run() {
    out_ += ",\n\"run\":{\"bytes\":";
    number(data_.summary.seen_bytes);
    out_ += ",\"count\":";
    number(data_.summary.seen);
    tree(without_small(stack_tree_of(data_.sites.folded(kTreeFrames), names_), kParts));
    sites("", sites_of(data_.sites, names_));
    sites("app_", sites_of(data_.sites, names_, SiteFrame::kApp));
    out_ += '}';
  }

  void tree(const StackTree& tree) {
    const auto append_text = [&](const std::string& name) { text(name); };
    out_ += ",\"frames\":";
    append_array(out_, tree.frames, append_text);
    out_ += ",\n\"classes\":";
    append_array(out_, tree.classes, append_text);
    out_ += ",\n\"tree\":{\"parent\":";
    append_array(out_, tree.nodes, [&](const StackTree::Node& node) { number(node.parent); });
    out_ += ",\"name\":";
    append_array(out_, tree.nodes, [&](const StackTree::Node& node) {
      number(static_cast<std::int64_t>(node.is_class ? tree.frames.size() + node.name : node.name));
    });
    out_ += ",\"bytes\":";
    append_array(out_, tree.nodes, [&](const StackTree::Node& node) { number(node.bytes); });
    out_ += ",\"count\":";
    append_array(out_, tree.nodes, [&](const StackTree::Node& node) { number(node.count); });
    out_ += '}';
  }

  void sites(std::string_view prefix, const std::vector<AllocSite>& all) {
    std::vector<AllocSite> top = top_sites(all, SiteOrder::kBytes, kPageSites);
    for (const AllocSite& site : top_sites(all, SiteOrder::kCount, kPageSites)) {
      const auto same = [&](const AllocSite& other) {
        return std::tie(site.class_id, site.has_frame, site.method, site.line) ==
               std::tie(other.class_id, other.has_frame, other.method, other.line);
      };
      if (std::none_of(top.begin(), top.end(), same)) top.push_back(site);
    }
    out_.append(",\n\"").append(prefix).append("site_count\":");
    number(static_cast<std::int64_t>(all.size()));
    out_.append(",\n\"").append(prefix).append("sites\":");
    append_array(out_, top, [&](const AllocSite& site) {
      out_ += '[';
      text(names_.class_name(site.class_id));
      out_ += ',';
      text(site.has_frame ? names_.method(site.method).qualified : "");
      out_ += ',';
      text(site.has_frame ? names_.place(site.method, site.line) : "");
      out_ += ',';
      number(site.bytes);
      out_ += ',';
      number(site.count);
      out_ += ']';
    });
  }

  void threads() {
    out_ += ",\n\"threads\":";
    append_array(out_, threads_of(data_), [&](const ThreadTotal& thread) {
      out_ += '[';
      number(thread.thread_id);
      out_ += ',';
      text(printable(thread.name));
      out_ += ',';
      number(thread.bytes);
      out_ += ',';
      number(thread.count);
      if (thread.books == nullptr) {
        out_ += ",null,null]";
        return;
      }
      out_ += ',';
      number(thread.books->allocated_bytes);
      out_ += ',';
      number(thread.books->seen_bytes);
      out_ += ']';
    });
  }

  const ReportData& data_;
  ReportNames names_;
  std::string out_;
};

}  // namespace

std::string html_report(const ReportData& data) {
  std::string page(kFlameGraphPage);
  page.replace(page.find(kFlameGraphData), kFlameGraphData.size(), PageData(data).json());
  return page;
}

}  // namespace ddm
