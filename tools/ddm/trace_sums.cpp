#include "trace_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/report_words.h"
#include "wire_report.h"

namespace ddm {
namespace {

// A ';' in a name would end it in the lines of stacks.
std::string without_semicolons(std::string name) {
  std::ranges::replace(name, ';', ':');
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

// What the calls of all threads are summed to.
struct CallSums {
  TraceSums& sums;
  const std::set<std::int32_t>& left_out;
  Paths paths;
  std::map<std::uint32_t, TraceSum> methods = {};
};

// The open calls of one thread, updated by its events in order.
class Calls {
 public:
  Calls(CallSums& sums, std::uint16_t thread) : sums_(sums), thread_(thread) {}

  void enter(const TraceEvent& event) {
    cpu_ = event.cpu_micros;
    last_ = event.wall_micros;
    const std::int32_t way =
        sums_.paths.number_of(open_.empty() ? -1 : open_.back().way, event.method);
    for (TraceSum* sum : {&sums_.methods[event.method], &sums_.paths.sum(way)}) ++sum->calls;
    open_.push_back({event.method, event.wall_micros, event.cpu_micros, way});
    ++depths_[event.method];
  }

  // Callees whose end is not in the trace end with it.
  void leave(const TraceEvent& event) {
    last_ = event.wall_micros;
    if (depths_[event.method] == 0) return;
    cpu_ = event.cpu_micros;
    while (open_.back().method != event.method) end(event.wall_micros, true);
    end(event.wall_micros, event.action == TraceEvent::kThrow);
  }

  // At the thread's last event where its later ones may be missing. The CPU time since then is unknown.
  void end_all(std::uint64_t at, bool overflow) {
    while (!open_.empty()) end(overflow ? last_ : at, false);
  }

 private:
  struct Open {
    std::uint32_t method;
    std::uint64_t begin, cpu_begin;
    std::int32_t way;
    std::uint64_t callees = 0;
    std::uint64_t left_out = 0;  // of the callees' time
    bool has_left_out_call = false;
  };

  void end(std::uint64_t at, bool thrown) {
    const Open call = open_.back();
    const std::uint64_t total = at > call.begin ? at - call.begin : 0;
    const std::uint64_t self = total > call.callees ? total - call.callees : 0;
    const bool leaves_out_self = sums_.left_out.contains(call.way);
    const std::uint64_t left_out = std::min(total, call.left_out + (leaves_out_self ? self : 0));
    const bool leaves_out_call = (leaves_out_self || call.has_left_out_call) && left_out == total;
    const bool outermost = --depths_[call.method] == 0;
    for (TraceSum* sum : {&sums_.methods[call.method], &sums_.paths.sum(call.way)}) {
      if (leaves_out_call) {
        --sum->calls;
        continue;
      }
      sum->exceptions += thrown ? 1 : 0;
      sum->self_micros += leaves_out_self ? 0 : self;
      if (!outermost) continue;
      sum->total_micros += total - left_out;
      sum->cpu_micros += cpu_ > call.cpu_begin ? cpu_ - call.cpu_begin : 0;
    }
    if (self > 0 && !leaves_out_self) sums_.sums.stacks[{thread_, call.way}] += self;
    open_.pop_back();
    if (open_.empty()) return;
    Open& caller = open_.back();
    caller.callees += total;
    caller.left_out += left_out;
    caller.has_left_out_call = caller.has_left_out_call || leaves_out_call;
  }

  CallSums& sums_;
  const std::uint16_t thread_;
  std::vector<Open> open_;
  std::uint64_t cpu_ = 0;   // of the last event
  std::uint64_t last_ = 0;  // its time
  std::map<std::uint32_t, std::size_t> depths_;
};

std::int64_t nanos(std::uint64_t micros) { return static_cast<std::int64_t>(micros) * 1000; }

}  // namespace

TraceSums sums_of(const MethodTrace& trace, const std::set<std::int32_t>& left_out) {
  TraceSums sums;
  CallSums call_sums{sums, left_out, Paths(sums.paths)};
  std::map<std::uint16_t, Calls> threads;
  std::uint64_t last = 0;
  for (const TraceEvent& event : trace.events) {
    last = std::max(last, event.wall_micros);
    Calls& calls = threads.try_emplace(event.thread, call_sums, event.thread).first->second;
    if (event.action == TraceEvent::kEnter) {
      calls.enter(event);
    } else {
      calls.leave(event);
    }
  }
  for (auto& [number, calls] : threads) calls.end_all(last, trace.overflow);
  for (auto& [number, sum] : call_sums.methods) {
    sum.method = number;
    sums.methods.push_back(sum);
  }
  std::ranges::stable_sort(sums.methods, std::greater<>(), &TraceSum::self_micros);
  return sums;
}

std::string trace_notes(const MethodTrace& trace) {
  std::string notes;
  if (trace.interval_micros > 0) {
    const double asked_ms = static_cast<double>(trace.interval_micros) / 1000;
    const double ms = trace.rounds == 0 ? asked_ms
                                        : static_cast<double>(trace.elapsed_micros) / 1000 /
                                              static_cast<double>(trace.rounds);
    notes = fmt::format("Told from stacks taken every {:.3g} ms", ms);
    if (ms > 1.5 * asked_ms) {
      notes += fmt::format(
          " (every {:.3g} ms was asked: more would have exceeded budget=, or the machine is busy)",
          asked_ms);
    }
    notes += ": shorter calls are missed, or told once for many.";
  }
  if (trace.overflow) {
    notes += notes.empty() ? "" : " ";
    notes += fmt::format(
        "The buffer was full before the end: {} missing, and open calls end with their thread's "
        "last "
        "event.",
        trace.lost > 0 ? fmt::format("{} later entries and exits are", grouped(trace.lost))
                       : "later calls are");
  }
  return notes;
}

std::string collapsed_of(const MethodTrace& trace, const TraceSums& sums) {
  std::map<std::string, std::uint64_t> lines;  // threads may have equal names
  for (const auto& [key, micros] : sums.stacks) {
    const auto [thread, innermost] = key;
    std::vector<const TraceMethod*> stack;
    for (std::int32_t at = innermost; at >= 0;) {
      const TracePath& path = sums.paths[static_cast<std::size_t>(at)];
      stack.push_back(&trace.methods.at(path.sum.method));
      at = path.caller;
    }
    const auto known = trace.threads.find(thread);
    std::string line =
        without_semicolons(known != trace.threads.end() ? known->second : std::to_string(thread));
    for (auto method = stack.rbegin(); method != stack.rend(); ++method) {
      line += ';' + without_semicolons((*method)->class_name + '.' + (*method)->method);
    }
    lines[line] += micros;
  }
  std::string text;
  for (const auto& [stack, micros] : lines) text += fmt::format("{} {}\n", stack, micros);
  return text;
}

ReportData trace_report(const MethodTrace& trace, const TraceSums& sums, const TraceNames& names,
                        const HelloReply& hello, std::int64_t now_ms) {
  ReportData data;
  data.names = names.table.get();
  data.summary = summary_of(hello, now_ms);
  data.summary.tracked_ms = static_cast<std::int64_t>(trace.elapsed_micros / 1000);
  TimeData& time = data.time;
  std::map<std::uint32_t, std::uint32_t> places;
  for (const TraceSum& sum : sums.methods) {
    const TraceMethod& method = trace.methods.at(sum.method);
    places[sum.method] = static_cast<std::uint32_t>(time.methods.size());
    time.methods.push_back(
        {method.class_name, method.method, method.signature, static_cast<std::int64_t>(sum.calls),
         static_cast<std::int64_t>(sum.exceptions), nanos(sum.total_micros), nanos(sum.self_micros),
         nanos(sum.cpu_micros), names.ids.at(sum.method)});
  }
  for (const TracePath& path : sums.paths) {
    time.method_paths.push_back({path.caller, places.at(path.sum.method),
                                 static_cast<std::int64_t>(path.sum.calls),
                                 nanos(path.sum.total_micros), nanos(path.sum.self_micros)});
  }
  time.incomplete = time.methods.empty() ? trace.interval_micros > 0
                                               ? "No thread was met running."
                                               : "No call of such a method was seen."
                                         : trace_notes(trace);
  return data;
}

}  // namespace ddm
