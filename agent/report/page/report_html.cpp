// The html report: the flame graph page with the merged stacks of the run, of all records and of
// time as its data.
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
//   sites           [class, allocating frame or "", place, first frame outside the JDK or "",
//                   place, bytes, count, bytes of that frame], the largest by bytes or by count;
//                   of what is alive also [objects that have survived no collection, one, 2-3,
//                   4-7, ...]
//   threads         [id, name, bytes, count, allocated or null, seen or null]
//   callers         {frames, classes, tree} with the class first, then who allocated it, then his
//                   callers: where a stack ends are its bytes and count
//   run, live       of the whole run, where sites were counted, and of what is alive: bytes, count,
//                   frames, classes, tree, callers, site_count, sites as above; app_site_count and
//                   app_sites, told apart by the first frame outside the JDK alone
//   time_alone      allocations were not asked for, what stands above is empty
//   times, samples, locks
//                   as report_html_time.cpp says
// In trees of sites, and in all callers, bars of less than one part in kPageParts or
// kPageCallerParts stand together, one below each frame. Where that has happened, `sets` beside the
// tree (not the callers') has what each stack is made of, which search and totals by class go by:
// name_sets.h. `frames` and `classes` have all names then, shown or not.
#include <algorithm>
#include <string>
#include <tuple>

#include "core/jvm_text.h"
#include "report/page/flame_graph.h"
#include "report/page/report_page.h"
#include "report/report.h"
#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_sites.h"
#include "report/report_stacks.h"
#include "report/report_time.h"
#include "report/site_tree.h"

namespace ddm {
namespace {

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
    trees(stack_tree_of(data_.records, names_), {}, data_.records);
    sites("", sites_of(data_.records, names_));
    threads();
    if (data_.sites.counted()) {
      source("run", data_.sites, data_.summary.seen_bytes, data_.summary.seen);
    }
    if (const auto& live = data_.summary.live) {
      source("live", data_.sites.living(), live->bytes, live->count);
    }
    if (is_of_time_alone(data_)) out_ += ",\n\"time_alone\":true";
    append_page_time(out_, data_.time, names_);
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

  // What the page can show besides the recent records.
  void source(std::string_view name, const SiteSet& sites, std::int64_t bytes, std::int64_t count) {
    out_.append(",\n\"").append(name).append("\":{\"bytes\":");
    number(bytes);
    out_ += ",\"count\":";
    number(count);
    StackTree tree = site_tree(sites, names_, TreeOrder::kRootFirst, kPageParts);
    const NameSets sets = name_sets(sites, names_, tree);
    trees(tree, sets, sites);
    const bool ages = name == "live";
    this->sites("", sites_of(sites, names_), ages);
    this->sites("app_", sites_of(sites, names_, SiteFrame::kApp), ages);
    out_ += '}';
  }

  template <typename Stacks>
  void trees(const StackTree& root_first, const NameSets& sets, const Stacks& stacks) {
    out_ += ',';
    append_page_tree(out_, root_first, "bytes");
    append_page_sets(out_, sets);
    out_ += ",\n\"callers\":{";
    append_page_tree(out_, site_tree(stacks, names_, TreeOrder::kClassFirst, kPageCallerParts),
                     "bytes");
    out_ += '}';
  }

  void sites(std::string_view prefix, const std::vector<AllocSite>& all, bool ages = false) {
    std::vector<AllocSite> top = top_sites(all, SiteOrder::kBytes, kPageRows);
    for (const AllocSite& site : top_sites(all, SiteOrder::kCount, kPageRows)) {
      const auto same = [&](const AllocSite& other) {
        return std::tie(site.class_id, site.at, site.app) ==
               std::tie(other.class_id, other.at, other.app);
      };
      if (std::none_of(top.begin(), top.end(), same)) top.push_back(site);
    }
    out_.append(",\n\"").append(prefix).append("site_count\":");
    number(static_cast<std::int64_t>(all.size()));
    out_.append(",\n\"").append(prefix).append("sites\":");
    append_page_array(out_, top, [&](const AllocSite& site) {
      out_ += '[';
      text(names_.class_name(site.class_id));
      out_ += ',';
      append_page_frame(out_, site.at, names_);
      out_ += ',';
      append_page_frame(out_, site.app, names_);
      out_ += ',';
      number(site.bytes);
      out_ += ',';
      number(site.count);
      out_ += ',';
      number(site.app_bytes);
      if (ages) {
        out_ += ',';
        append_page_array(out_, site.ages.count, [&](std::int64_t count) { number(count); });
      }
      out_ += ']';
    });
  }

  void threads() {
    out_ += ",\n\"threads\":";
    append_page_array(out_, threads_of(data_), [&](const ThreadTotal& thread) {
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

void append_page_frame(std::string& out, const FrameLine& frame, ReportNames& names) {
  append_json_string(out, frame.known ? names.method(frame.method).qualified : "");
  out += ',';
  append_json_string(out, frame.known ? names.place(frame.method, frame.line) : "");
}

void append_page_tree(std::string& out, const StackTree& tree, std::string_view amount) {
  const auto texts = [&](const std::vector<std::string>& list) {
    append_page_array(out, list, [&](const std::string& text) { append_json_string(out, text); });
  };
  const auto column = [&](std::string_view name, auto number) {
    out.append(",\n\"").append(name).append("\":");
    append_page_array(out, tree.nodes, [&](const StackTree::Node& node) {
      append_json_number(out, static_cast<std::int64_t>(number(node)));
    });
  };
  out += "\"frames\":";
  texts(tree.frames);
  out += ",\n\"classes\":";
  texts(tree.classes);
  out += ",\n\"tree\":{\"parent\":";
  append_page_array(out, tree.nodes,
                    [&](const StackTree::Node& node) { append_json_number(out, node.parent); });
  column("name", [&](const StackTree::Node& node) {
    return node.is_class ? tree.frames.size() + node.name : node.name;
  });
  if (!amount.empty()) column(amount, [](const StackTree::Node& node) { return node.amount; });
  column("count", [](const StackTree::Node& node) { return node.count; });
  out += '}';
}

void append_page_sets(std::string& out, const NameSets& sets) {
  if (sets.text.empty()) return;
  out += ",\n\"sets\":{\"order\":";
  append_page_array(out, sets.order, [&](std::uint32_t name) { append_json_number(out, name); });
  out.append(",\n\"text\":\"").append(sets.text).append("\"}");
}

std::string html_report(const ReportData& data) {
  std::string page(kFlameGraphPage);
  page.replace(page.find(kFlameGraphData), kFlameGraphData.size(), PageData(data).json());
  return page;
}

}  // namespace ddm
