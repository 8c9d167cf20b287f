#include "trace_sums.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ddm {
namespace {

// A ';' in a name would end it in the lines of stacks.
std::string without_semicolons(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

// The call paths, each with a number.
class Paths {
 public:
  explicit Paths(std::vector<TracePath>& paths) : paths_(paths) {}
  std::int32_t number_of(std::int32_t caller, std::uint32_t method) {
    const auto [at, fresh] =
        numbers_.try_emplace({caller, method}, static_cast<std::int32_t>(paths_.size()));
    if (fresh) paths_.push_back({caller, {.method = method}});
    return at->second;
  }
  TraceSum& sum(std::int32_t number) { return paths_[static_cast<std::size_t>(number)].sum; }

 private:
  std::vector<TracePath>& paths_;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::int32_t> numbers_;
};

// One thread's calls as its events come.
class Calls {
 public:
  Calls(const MethodTrace& trace, std::string thread, std::map<std::uint32_t, TraceSum>& methods,
        std::map<std::string, std::uint64_t>& stacks, Paths& paths)
      : trace_(trace),
        methods_(methods),
        stacks_(stacks),
        paths_(paths),
        path_(std::move(thread)) {}

  void enter(const TraceEvent& event) {
    cpu_ = event.cpu_micros;
    const std::int32_t way = paths_.number_of(open_.empty() ? -1 : open_.back().way, event.method);
    for (TraceSum* sum : {&methods_[event.method], &paths_.sum(way)}) ++sum->calls;
    open_.push_back({event.method, event.wall_micros, event.cpu_micros, 0, path_.size(), way});
    const TraceMethod& method = trace_.methods.at(event.method);
    path_ += ';' + without_semicolons(method.class_name + '.' + method.method);
    ++depths_[event.method];
  }

  // Callees whose end is not in the trace end with it.
  void leave(const TraceEvent& event) {
    if (depths_[event.method] == 0) return;
    cpu_ = event.cpu_micros;
    while (open_.back().method != event.method) end(event.wall_micros, true);
    end(event.wall_micros, event.action == TraceEvent::kThrow);
  }

  // The CPU time since the last event is unknown.
  void end_all(std::uint64_t at) {
    while (!open_.empty()) end(at, false);
  }

 private:
  struct Open {
    std::uint32_t method;
    std::uint64_t begin, cpu_begin, callees;
    std::size_t path;  // how long it was before
    std::int32_t way;
  };

  void end(std::uint64_t at, bool thrown) {
    const Open call = open_.back();
    const std::uint64_t total = at > call.begin ? at - call.begin : 0;
    const std::uint64_t self = total > call.callees ? total - call.callees : 0;
    const bool outermost = --depths_[call.method] == 0;
    for (TraceSum* sum : {&methods_[call.method], &paths_.sum(call.way)}) {
      sum->exceptions += thrown ? 1 : 0;
      sum->self_micros += self;
      if (!outermost) continue;
      sum->total_micros += total;
      sum->cpu_micros += cpu_ > call.cpu_begin ? cpu_ - call.cpu_begin : 0;
    }
    if (self > 0) stacks_[path_] += self;
    path_.resize(call.path);
    open_.pop_back();
    if (!open_.empty()) open_.back().callees += total;
  }

  const MethodTrace& trace_;
  std::map<std::uint32_t, TraceSum>& methods_;
  std::map<std::string, std::uint64_t>& stacks_;
  Paths& paths_;
  std::vector<Open> open_;
  std::uint64_t cpu_ = 0;  // of the last event
  std::map<std::uint32_t, std::size_t> depths_;
  std::string path_;
};

}  // namespace

TraceSums sums_of(const MethodTrace& trace) {
  TraceSums sums;
  std::map<std::uint32_t, TraceSum> methods;
  Paths paths(sums.paths);
  std::map<std::uint16_t, Calls> threads;
  std::uint64_t last = 0;
  for (const TraceEvent& event : trace.events) {
    last = std::max(last, event.wall_micros);
    auto thread = threads.find(event.thread);
    if (thread == threads.end()) {
      const auto name = trace.threads.find(event.thread);
      thread = threads
                   .try_emplace(event.thread, trace,
                                without_semicolons(name != trace.threads.end()
                                                       ? name->second
                                                       : std::to_string(event.thread)),
                                methods, sums.stacks, paths)
                   .first;
    }
    if (event.action == TraceEvent::kEnter) {
      thread->second.enter(event);
    } else {
      thread->second.leave(event);
    }
  }
  for (auto& [number, calls] : threads) calls.end_all(last);
  for (auto& [number, sum] : methods) {
    sum.method = number;
    sums.methods.push_back(sum);
  }
  std::ranges::stable_sort(sums.methods, std::greater<>(), &TraceSum::self_micros);
  return sums;
}

}  // namespace ddm
