// Method tracing: exact times by method (cpu=times), and every call with its time for a DDM server
// or `ddm trace`. Both may be on at once and share the hooks, which are installed only meanwhile.
//
// Starting and stopping on attached threads, serialized.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/time_data.h"
#include "report/traces/method_trace.h"
#include "stack/names/name_table.h"
#include "time/call_recorder.h"
#include "time/measured_span.h"
#include "time/method_hooks.h"
#include "time/trace_file.h"
#include "vm/virtual_thread_support.h"
#include "wire/chunks/profiling.h"

namespace ddm {

// Android's clock flags. 0 lets the agent choose.
inline constexpr std::uint32_t kDualClock = 0x110;
inline bool has_dual_clock(std::uint32_t flags) { return (flags & kDualClock) == kDualClock; }

class MethodTracing final : public TimeDataSource {
 public:
  // `names`: interns the methods' names for reports.
  MethodTracing(jvmtiEnv* jvmti, NameTable& names) : jvmti_(jvmti), names_(names) {}

  // Resets the sums. `patterns`: see MethodFilter; "" is all but the JDK's own. Returns "" or the
  // error; on return the hooks are installed. Stopping when off does nothing.
  std::string start_times(JNIEnv* jni, const std::string& patterns);
  std::string stop_times(JNIEnv* jni);
  // Why nothing is timed although times are wanted, as part of a sentence; "": something is, or may be.
  std::string times_nothing();

  // With a shortest time, calls that are open at the end are dropped, too.
  std::string start_trace(JNIEnv* jni, const TraceRequest& wanted);
  // The hooks of a trace are installed. Takes no lock.
  bool tracing() const { return is_tracing_; }
  // nullopt: nothing is traced.
  std::optional<TraceFile> stop_trace(JNIEnv* jni);
  // The same when the program ends: the hooks stay. nullopt also while a trace is being switched.
  std::optional<TraceFile> take_trace_at_end();

  // Adds the current times, or those at the last stop: largest self time first.
  void add_to(TimeData& data) override;
  void add_names(NamesInUse& used) override;
  void forget() override;

 private:
  struct Times {
    std::vector<MethodTime> methods;
    std::vector<MethodPath> paths;
    std::map<std::string, std::int64_t> not_timed;
  };
  struct Trace {
    TraceRequest wanted;
    std::shared_ptr<CallLog> log;
    std::uint64_t begin_micros = 0;
    Ticks end = 0;
    std::shared_ptr<MethodMarks> methods = nullptr, roots = nullptr;
  };

  std::string prepare(JNIEnv* jni);
  // switching_ held.
  const std::string* timed() const { return times_ ? &*times_ : nullptr; }
  const TraceRequest* traced() const { return trace_ ? &trace_->wanted : nullptr; }
  std::string change_hooks(JNIEnv* jni, const TraceRequest* trace, const std::string* times);
  void record();
  std::string no_times() const;
  Times read_times() const;
  TraceFile file_of(const Trace& trace) const;
  MethodTrace read_trace(const Trace& trace, TraceFile& file) const;

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  MethodNumbers numbers_;

  std::mutex switching_;  // serializes start and stop; never held while a report is made
  std::atomic<bool> is_tracing_{false};
  std::mutex mutex_;  // guards all below
  std::unique_ptr<CallRecorder> recorder_;
  VirtualThreadEnds virtual_ends_;
  std::unique_ptr<MethodHooks> hooks_;
  std::optional<std::string> times_;  // patterns; nullopt: off
  MeasuredSpan times_span_;
  std::optional<Trace> trace_;
  bool other_hooks_ = false;  // than those for times_ and trace_ may be installed
  Times last_times_;
};

}  // namespace ddm
