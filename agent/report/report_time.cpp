#include "report/report_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "core/jvm_text.h"
#include "report/report_methods.h"
#include "report/report_sites.h"
#include "report/report_words.h"
#include "report/thread_pools.h"
#include "stack/names/idle_waits.h"

namespace ddm {
namespace {

constexpr std::size_t kRows = 20;
constexpr std::size_t kSummaryRows = 7;  // of each table, if they are few
constexpr int kTimeLines = 16;           // of the summary
constexpr std::size_t kTraceFrames = 24;
constexpr std::size_t kHolders = 3;  // shown per lock

std::string ms(std::int64_t ns) {
  return fmt::format("{}.{} ms", grouped(ns / 1'000'000), ns / 100'000 % 10);
}

struct Trace {
  const std::vector<Frame>* frames = nullptr;
  bool cut = false;
};

// Stacks that read the same: a line may have several bytecode indices.
using LinesOfStack = std::pair<std::vector<std::pair<NameId, int>>, bool>;

LinesOfStack lines_of_stack(const std::vector<Frame>& frames, bool cut, ReportNames& names) {
  LinesOfStack shown{{}, cut};
  for (const Frame& frame : frames) shown.first.emplace_back(frame.method, names.line(frame));
  return shown;
}

// The sums of what has the same key, the largest `figure` first.
template <typename Time, typename KeyOf>
std::vector<Time> sums_by(const std::vector<Time>& times, std::int64_t Time::*figure,
                          const KeyOf& key_of) {
  std::vector<Time> sums;
  std::map<decltype(key_of(times.front())), std::size_t> places;
  for (const Time& time : times) {
    const auto [at, is_new] = places.try_emplace(key_of(time), sums.size());
    if (is_new) {
      sums.push_back(time);
      continue;
    }
    Time& sum = sums[at->second];
    sum.count += time.count;
    if constexpr (requires { sum.ns; }) sum.ns += time.ns;
    if constexpr (requires { sum.holders; }) {
      sum.holders.insert(sum.holders.end(), time.holders.begin(), time.holders.end());
    }
  }
  std::ranges::stable_sort(sums, std::greater<>(), figure);
  return sums;
}

std::vector<MonitorTime> merged_monitors(const std::vector<MonitorTime>& monitors,
                                         ReportNames& names) {
  std::vector<MonitorTime> sums = sums_by(monitors, &MonitorTime::ns, [&](const MonitorTime& one) {
    return std::tuple(one.kind, one.class_id, lines_of_stack(one.frames, one.cut, names));
  });
  for (MonitorTime& sum : sums) {
    ThreadPools pools;
    for (const LockHolder& holder : sum.holders) pools.add(holder.thread);
    for (LockHolder& holder : sum.holders) holder.thread = pools.name_of(holder.thread);
    sum.holders = sums_by(sum.holders, &LockHolder::ns, [&](const LockHolder& one) {
      return std::tuple(one.thread, lines_of_stack(one.frames, one.cut, names));
    });
  }
  return sums;
}

class Tables {
 public:
  Tables(const ReportData& data, ReportNames& names, std::size_t rows, std::size_t columns)
      : time_(data.time),
        names_(names),
        rows_(rows),
        columns_(columns),
        monitors_(merged_monitors(time_.monitors, names)) {}

  // Without traces, the place of a wait stands below it.
  std::string write(bool with_traces) {
    with_traces_ = with_traces;
    set_idle_apart();
    note_ongoing();
    out_ += method_table(time_.methods, rows_, columns_);
    if (with_traces && !time_.monitor_on && !time_.incomplete.empty()) {
      line("\n{}", printable(time_.incomplete));
    }
    not_timed();
    samples();
    monitors();
    if (with_traces) {
      holders(monitors_);
      still_waiting();
      idle_samples();
      idle_threads();
      traces();
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string top_frame(const std::vector<Frame>& frames, std::size_t width) {
    if (frames.empty()) return "(no Java frame)";
    const PrintableMethod& method = names_.method(frames[0].method);
    return shortened_frame(method, names_.place(frames[0].method, names_.line(frames[0])), width);
  }

  void not_timed() {
    if (time_.not_timed.empty()) return;
    line("\nMethods and classes that are not timed, since they cannot be rewritten:");
    for (const auto& [why, count] : time_.not_timed) {
      line("{:>9}  {}", grouped(count), printable(why));
    }
  }

  void samples() {
    if (!time_.sampler) return;
    const SamplerFigures& sampler = *time_.sampler;
    sums_ = sums_by(time_.samples, &StackSample::count, [&](const StackSample& one) {
      return lines_of_stack(one.frames, one.cut, names_);
    });
    const std::int64_t all = all_counts(sums_);
    line("\n{} samples: {}, each of {} {}, in {}", sampler.wall ? "Wall-clock" : "CPU",
         grouped(all), ms(sampler.requested_ns), sampler.wall ? "elapsed" : "of CPU",
         counted(sums_.size(), "stack"));
    if (sampler.wall) line("  of threads that waited as well as of those that ran");
    if (sampler.wall && has_virtual_threads()) {
      line("  but of virtual threads only while they had a carrier: monitor=y tells their waits");
    }
    line("  {} taken; each counts for its thread's {} since the last one",
         counted(sampler.stacks, "stack"), sampler.wall ? "time" : "CPU");
    line("  looked {} in {}, every {} on average, asked for {}", counted(sampler.rounds, "time"),
         human_duration(sampler.on_ns / 1'000'000), ms(sampler.mean_ns), ms(sampler.requested_ns));
    line("  which took {} of one CPU; the budget is {}%",
         share_of(sampler.own_ns + sampler.others_ns, sampler.on_ns), sampler.budget);
    if (sampler.missed_ns >= sampler.requested_ns) {
      line("  {}: {}",
           sampler.wall ? "Time without a sample, of threads that were not met"
                        : "CPU without a sample, of threads that were not met running",
           ms(sampler.missed_ns));
    }
    for (const auto& [why, count] : sampler.failed) {
      line("  {} could not be had: {}", counted(count, "stack"), printable(why));
    }
    if (sampler.wall) set_idle_samples_apart();
    const std::int64_t idle = all_counts(idle_sums_);
    if (idle > 0) {
      line("  not ranked: {}, {}, of idle threads of pools and timers", counted(idle, "sample"),
           share_of(idle, all));
    }
    sample_rows(sums_);
  }

  void idle_samples() {
    if (idle_sums_.empty()) return;
    line("\nSamples of idle threads of pools and timers");
    sample_rows(idle_sums_);
  }

  void sample_rows(const std::vector<StackSample>& sums) {
    if (sums.empty()) return;
    line("{:>5} {:>7} {:>7} {:>11} {:>6}  {}", "rank", "self", "accum", "count",
         with_traces_ ? "trace" : "", "method");
    const std::int64_t all = all_counts(sums);
    std::int64_t accumulated = 0;
    for (std::size_t i = 0; i < std::min(rows_, sums.size()); ++i) {
      const StackSample& sum = sums[i];
      accumulated += sum.count;
      line("{:>5} {:>7} {:>7} {:>11} {:>6}  {}", i + 1, share_of(sum.count, all),
           share_of(accumulated, all), grouped(sum.count), trace_text(sum.frames, sum.cut),
           time_.sampler->wall ? place_of(sum.frames, columns_ - 43)
                               : top_frame(sum.frames, columns_ - 43));
    }
  }

  static std::int64_t all_counts(const std::vector<StackSample>& sums) {
    std::int64_t all = 0;
    for (const StackSample& sum : sums) all += sum.count;
    return all;
  }

  bool has_virtual_threads() {
    return std::ranges::any_of(sums_, [this](const StackSample& sum) {
      return std::ranges::any_of(sum.frames, [this](const Frame& frame) {
        return names_.method(frame.method).class_name == "java.lang.VirtualThread";
      });
    });
  }

  void set_idle_samples_apart() {
    const auto rest = std::stable_partition(
        sums_.begin(), sums_.end(),
        [this](const StackSample& sum) { return !is_idle("", "", sum.frames); });
    idle_sums_.assign(rest, sums_.end());
    sums_.erase(rest, sums_.end());
  }

  bool is_idle(std::string_view kind, std::string_view type, const std::vector<Frame>& frames) {
    return is_idle_wait(kind, type, frames.size(), [&](std::size_t i) {
      const PrintableMethod& method = names_.method(frames[i].method);
      return std::pair<std::string_view, std::string_view>(method.class_name, method.method);
    });
  }

  // `wait`: a MonitorTime or an OngoingWait.
  bool is_for_lock(const auto& wait) {
    return !is_idle(name_of(wait.kind), names_.class_name(wait.class_id), wait.frames);
  }

  // Waits for work would leave no room for those for locks.
  void set_idle_apart() {
    const auto rest =
        std::stable_partition(monitors_.begin(), monitors_.end(),
                              [this](const MonitorTime& monitor) { return is_for_lock(monitor); });
    idle_.assign(rest, monitors_.end());
    monitors_.erase(rest, monitors_.end());
  }

  // A row's count is of threads then, and its time that of their waits so far.
  void note_ongoing() {
    for (const OngoingWait& wait : time_.waiting) {
      if (!is_for_lock(wait)) continue;
      ongoing_.push_back({wait.kind, wait.class_id, 1, wait.ns, wait.frames, wait.cut});
      if (!wait.holder.empty()) ongoing_.back().holders = {{wait.holder, 1, wait.ns, {}, false}};
      longest_ns_ = std::max(longest_ns_, wait.ns);
    }
    threads_waiting_ = ongoing_.size();
    ongoing_ = merged_monitors(ongoing_, names_);
  }

  static std::int64_t all_ns(const std::vector<MonitorTime>& monitors) {
    std::int64_t all = 0;  // a pin is counted as a park, too
    for (const MonitorTime& monitor : monitors) {
      if (monitor.kind != MonitorKind::kPin) all += monitor.ns;
    }
    return all;
  }

  void monitors() {
    if (!time_.monitor_on) return;
    const std::int64_t all = all_ns(monitors_);
    line("\nWaiting for locks: {} in all threads, at {}", ms(all),
         counted(monitors_.size(), "place"));
    if (!time_.incomplete.empty()) line("{}", time_.incomplete);
    if (!idle_.empty()) {
      line("Not counted: {} of waiting for work, at {}", ms(all_ns(idle_)),
           counted(idle_.size(), "place"));
    }
    if (threads_waiting_ > 0) {
      line("Not counted: {} still {}, for {} at the longest", counted(threads_waiting_, "thread"),
           threads_waiting_ == 1 ? "waits" : "wait", ms(longest_ns_));
    }
    waits(monitors_, all);
  }

  void still_waiting() {
    if (ongoing_.empty()) return;
    line("\nStill waiting for locks, by number of threads and their time until now");
    waits(ongoing_, all_ns(ongoing_));
    holders(ongoing_);
  }

  void idle_threads() {
    if (idle_.empty()) return;
    line("\nWaiting for work, in idle threads of pools and timers");
    waits(idle_, all_ns(idle_));
  }

  void waits(const std::vector<MonitorTime>& monitors, std::int64_t all) {
    if (monitors.empty()) return;
    line("{:>5} {:>7} {:>15} {:>9} {:>6} {:<6} {}", "rank", "self", "time", "count",
         with_traces_ ? "trace" : "", "kind", "class");
    for (std::size_t i = 0; i < std::min(rows_, monitors.size()); ++i) {
      const MonitorTime& monitor = monitors[i];
      const std::string type = monitor.class_id == kUnknownName
                                   ? "-"
                                   : shortened_type(lock_text(name_of(monitor.kind),
                                                              names_.class_name(monitor.class_id)),
                                                    columns_ - 55);
      line("{:>5} {:>7} {:>15} {:>9} {:>6} {:<6} {}", i + 1, share_of(monitor.ns, all),
           ms(monitor.ns), grouped(monitor.count), trace_text(monitor.frames, monitor.cut),
           name_of(monitor.kind), type);
      if (!with_traces_) line("      at {}", place_of(monitor.frames, columns_ - 9));
    }
  }

  // Of the program rather than of the JDK, where it has a frame.
  std::string place_of(const std::vector<Frame>& frames, std::size_t width) {
    const FrameLine own = outside_jdk(frames, names_);
    if (!own.known) return "(no Java frame)";
    return shortened_frame(names_.method(own.method), names_.place(own.method, own.line), width);
  }

  void holders(const std::vector<MonitorTime>& monitors) {
    const std::size_t shown = std::min(rows_, monitors.size());
    bool any = false;
    for (std::size_t i = 0; i < shown; ++i) any = any || !monitors[i].holders.empty();
    if (!any) return;
    line("\nWho held the lock when a thread began to wait for it, of each rank");
    line("{:>5} {:>7} {:>15} {:>9} {:>6}  {}", "rank", "self", "time", "count", "trace", "thread");
    for (std::size_t i = 0; i < shown; ++i) {
      const MonitorTime& monitor = monitors[i];
      for (std::size_t h = 0; h < std::min(kHolders, monitor.holders.size()); ++h) {
        const LockHolder& holder = monitor.holders[h];
        line("{:>5} {:>7} {:>15} {:>9} {:>6}  {}", i + 1, share_of(holder.ns, monitor.ns),
             ms(holder.ns), grouped(holder.count),
             holder.frames.empty() ? "-" : trace_text(holder.frames, holder.cut),
             shortened(printable(holder.thread), columns_ - 48));
      }
    }
  }

  // The number of a stack that is printed below; "": none is.
  std::string trace_text(const std::vector<Frame>& frames, bool cut) {
    if (!with_traces_) return "";
    traces_.push_back({&frames, cut});
    return std::to_string(traces_.size());
  }

  void traces() {
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      line("\nTRACE {}:", i + 1);
      const std::vector<Frame>& frames = *traces_[i].frames;
      for (std::size_t f = 0; f < std::min(kTraceFrames, frames.size()); ++f) {
        line("    at {}", names_.text(frames[f]));
      }
      if (frames.empty()) line("    (no Java frame)");
      if (frames.size() > kTraceFrames) line("    ... {} more", frames.size() - kTraceFrames);
      if (traces_[i].cut) line("    ... deeper frames were not kept");
    }
  }

  const TimeData& time_;
  ReportNames& names_;
  const std::size_t rows_, columns_;
  bool with_traces_ = true;
  std::string out_;
  std::vector<MonitorTime> monitors_;
  std::vector<MonitorTime> idle_;
  std::vector<MonitorTime> ongoing_;
  std::size_t threads_waiting_ = 0;
  std::int64_t longest_ns_ = 0;
  std::vector<StackSample> sums_, idle_sums_;
  std::vector<Trace> traces_;
};

}  // namespace

std::string time_tables(const ReportData& data, ReportNames& names, std::size_t columns) {
  return Tables(data, names, kRows, columns).write(true);
}

std::string time_summary(const ReportData& data) {
  ReportNames names(data.names);
  std::string tables;
  for (std::size_t rows = kSummaryRows; rows > 0; --rows) {
    tables = Tables(data, names, rows, kColumns).write(false);
    if (tables.starts_with('\n')) tables.erase(0, 1);
    if (std::ranges::count(tables, '\n') <= kTimeLines) break;
  }
  std::string summary;
  std::string_view rest = tables;
  for (int line = 0; line < kTimeLines && !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    summary += shortened(printable(rest.substr(0, end)), kColumns) + '\n';
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return summary;
}

}  // namespace ddm
