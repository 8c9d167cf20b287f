// What the page shows of time. Its data is an object for each of
//   times    ns, count (of calls), nodes, tree; methods: [name, signature, calls, exceptions,
//            total ns, self ns, cpu ns]
//   samples  count, nodes, tree, all without ns; the tree stands below threads
//   locks    ns, count, nodes, tree, all without pins (which are parks as well);
//            types: [kind, class or "", ns, count]; places: [kind, class or "", innermost frame,
//            place, first frame outside the JDK, place, ns, count, [holder, ...], how many holders
//            there are], both with pins; holders: [class or "", holder], where a holder is thread,
//            first frame outside the JDK or "", place, ns, count
//   incomplete a sentence on what the figures lack
// where a table `x` has x_count, all the rows that there are. Trees are as page_tree.h has them,
// but a stack may end in a frame; what its own bar stands for is the amount there. Those of locks
// have the kind of waiting as the outermost bar.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/jvm_text.h"
#include "report/page/report_page.h"
#include "report/report_json.h"
#include "report/report_sites.h"
#include "report/report_time.h"

namespace ddm {
namespace {

struct LockType {
  MonitorKind kind = MonitorKind::kEnter;
  NameId class_id = kUnknownName;
  std::int64_t ns = 0;
  std::int64_t count = 0;
};

// A thread that held a contended lock, and its frame then.
struct Holding {
  NameId class_id = kUnknownName;  // of the lock
  std::string thread;
  FrameLine app;
  std::int64_t ns = 0;  // waiting time of others
  std::int64_t count = 0;
};
using Holdings = std::map<std::tuple<NameId, std::string, FrameLine>, Holding>;
constexpr std::size_t kPlaceHolders = 3;  // holders listed per row

struct LockPlace {
  LockType type;
  FrameLine at, app;
  std::int64_t ns = 0;
  std::int64_t count = 0;
  Holdings holders;
};

class TimePage {
 public:
  TimePage(std::string& out, const TimeData& time, ReportNames& names)
      : out_(out), time_(time), names_(names) {}

  void write(std::vector<PageSource>& sources) {
    for (PageSource& source : sources) {
      append_page_source(out_, source);
      if (source.name == "times") times();
      if (source.name == "locks") locks();
      out_ += '}';
    }
    if (time_.incomplete.empty()) return;
    out_ += ",\n\"incomplete\":";
    append_json_string(out_, time_.incomplete);
  }

 private:
  std::string class_of(NameId id) { return id == kUnknownName ? "" : names_.class_name(id); }
  std::string method_of(const FrameLine& frame) {
    return frame.known ? names_.method(frame.method).qualified : "";
  }
  std::string place_of(const FrameLine& frame) {
    return frame.known ? names_.place(frame.method, frame.line) : "";
  }

  template <typename Row, typename Append>
  void table(std::string_view name, const std::vector<Row>& rows,
             std::initializer_list<std::int64_t Row::*> figures, Append append) {
    out_.append(",\n\"").append(name).append("_count\":");
    append_json_value(out_, rows.size());
    out_.append(",\n\"").append(name).append("\":");
    append_json_array(out_, page_rows(rows, figures), [&](const Row* row) {
      out_ += '[';
      append(*row);
      out_ += ']';
    });
  }

  void times() {
    table("methods", time_.methods,
          {&MethodTime::self_ns, &MethodTime::total_ns, &MethodTime::calls},
          [&](const MethodTime& method) {
            append_json_values(out_, printable(method.class_name) + "." + printable(method.method),
                               method.signature, method.calls, method.exceptions, method.total_ns,
                               method.self_ns, method.cpu_ns);
          });
  }

  void locks() {
    std::map<std::pair<MonitorKind, NameId>, LockType> types;
    std::map<std::tuple<MonitorKind, NameId, FrameLine, FrameLine>, LockPlace> places;
    Holdings holders;
    for (const MonitorTime& monitor : time_.monitors) {
      LockType& type = types[{monitor.kind, monitor.class_id}];
      type.kind = monitor.kind;
      type.class_id = monitor.class_id;
      type.ns += monitor.ns;
      type.count += monitor.count;
      const FrameLine at = innermost(monitor.frames, names_);
      const FrameLine app = outside_jdk(monitor.frames, names_);
      LockPlace& place = places[{monitor.kind, monitor.class_id, at, app}];
      place.type = type;
      place.at = at;
      place.app = app;
      place.ns += monitor.ns;
      place.count += monitor.count;
      for (const LockHolder& holder : monitor.holders) {
        add_holder(place.holders, monitor.class_id, holder);
        // A pin is counted as a park, too.
        if (monitor.kind != MonitorKind::kPin) add_holder(holders, monitor.class_id, holder);
      }
    }
    table("types", list_of(std::move(types)), {&LockType::ns, &LockType::count},
          [&](const LockType& type) {
            append_json_values(out_, name_of(type.kind), class_of(type.class_id), type.ns,
                               type.count);
          });
    table("places", list_of(std::move(places)), {&LockPlace::ns, &LockPlace::count},
          [&](const LockPlace& place) { append_place(place); });
    table("holders", list_of(std::move(holders)), {&Holding::ns, &Holding::count},
          [&](const Holding& holder) {
            append_json_values(out_, class_of(holder.class_id));
            out_ += ',';
            append_holder(holder);
          });
  }

  void append_place(const LockPlace& place) {
    append_json_values(out_, name_of(place.type.kind), class_of(place.type.class_id),
                       method_of(place.at), place_of(place.at), method_of(place.app),
                       place_of(place.app), place.ns, place.count);
    std::vector<Holding> longest = list_of(place.holders);
    std::ranges::stable_sort(longest, std::greater{}, &Holding::ns);
    longest.resize(std::min(kPlaceHolders, longest.size()));
    out_ += ',';
    append_json_array(out_, longest, [&](const Holding& holder) {
      out_ += '[';
      append_holder(holder);
      out_ += ']';
    });
    out_ += ',';
    append_json_value(out_, place.holders.size());
  }

  template <typename Map>
  static std::vector<typename Map::mapped_type> list_of(Map map) {
    std::vector<typename Map::mapped_type> list;
    for (auto& [key, value] : map) list.push_back(std::move(value));
    return list;
  }

  void add_holder(Holdings& sums, NameId class_id, const LockHolder& holder) {
    const FrameLine app = outside_jdk(holder.frames, names_);
    const auto key = std::tuple(class_id, holder.thread, app);
    Holding& sum = sums.try_emplace(key, Holding{class_id, holder.thread, app}).first->second;
    sum.ns += holder.ns;
    sum.count += holder.count;
  }

  void append_holder(const Holding& holder) {
    append_json_values(out_, printable(holder.thread), method_of(holder.app), place_of(holder.app),
                       holder.ns, holder.count);
  }

  std::string& out_;
  const TimeData& time_;
  ReportNames& names_;
};

}  // namespace

std::vector<PageSource> page_time_sources(const TimeData& time, PageNames& names) {
  std::vector<PageSource> sources;
  const auto add = [&](const char* name, const char* amount, PageTree::With with,
                       const TimeStacks& stacks, const std::vector<std::string>& threads = {}) {
    std::int64_t amounts = 0, counts = 0;
    for (const TimeStack& stack : stacks.list) amounts += stack.amount, counts += stack.count;
    sources.push_back({name, amount, amounts, counts, with, PageTree(names)});
    sources.back().tree.add(stacks, threads);
  };
  if (!time.methods.empty()) {
    add("times", "ns", PageTree::With::kAmount, TimeStacks::of_methods(time));
  }
  if (!time.samples.empty()) {
    std::vector<std::string> threads;
    for (const StackSample& sample : time.samples) threads.push_back(sample.thread);
    add("samples", "", PageTree::With::kCount, TimeStacks::of_samples(time), threads);
  }
  if (!time.monitors.empty()) {
    add("locks", "ns", PageTree::With::kAmount, TimeStacks::of_locks(time));
  }
  return sources;
}

void append_page_time(std::string& out, const TimeData& time, ReportNames& names,
                      std::vector<PageSource>& sources) {
  TimePage(out, time, names).write(sources);
}

}  // namespace ddm
