// CPU profiling by samples (cpu=samples): the sampler thread periodically takes the stacks of the
// threads that have run.
//
// A sample is weighted by the CPU time that its thread has used since its last one, in units of the
// requested interval: a thread's counts times the interval are its CPU time, however rarely it was
// sampled. Only a thread found running is counted, so CPU used before a wait is not attributed to
// the wait; it is carried over to the thread's next sample.
//
// cpu=wall does the same for the time that a thread ran or was runnable, and adds samples for the
// time that it waited (time/totals/waiting_time.h).
//
// The stacks may also be recorded as a trace (SPSS). Then every round takes the stacks of all
// threads that have run, at the shorter of the two intervals.
//
// Stacks are taken at safepoint polls, by JVMTI. The cost of sampling, here and in the stopped
// threads, is kept within the budget by longer intervals.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/result.h"
#include "report/time_data.h"
#include "stack/stack_naming.h"
#include "time/ran_threads.h"
#include "time/sample_trace.h"
#include "time/sampler_thread.h"
#include "time/sampling_pace.h"
#include "time/stop_cost.h"
#include "time/totals/sample_counts.h"
#include "vm/mounted_threads.h"

namespace ddm {

class CpuSampler final : public TimeDataSource, private Sampler {
 public:
  struct Settings {
    std::int64_t interval_ms = 10;
    SamplingDelay delay = SamplingDelay::kVaried;
    bool wall = false;  // of all threads
    friend bool operator==(const Settings&, const Settings&) = default;
  };

  CpuSampler(jvmtiEnv* jvmti, SamplerThread& thread) : jvmti_(jvmti), thread_(thread) {}

  // Any attached thread. start() clears the results unless it is on with equal settings; returns ""
  // or the error. stop() keeps the results; false: its last round goes on, and uses them.
  std::string start(JNIEnv* jni, const StackNaming& naming, Settings settings);
  bool stop();
  // After stop(): there are no results any more.
  void discard();
  // The same for a trace; one at a time, with or without samples.
  std::string start_trace(JNIEnv* jni, const StackNaming& naming,
                          std::shared_ptr<SampleTrace> trace);
  bool tracing() const { return is_tracing_; }  // takes no lock
  // The error: there is no trace, or the sampler does not finish its round.
  Result<TraceFile> stop_trace();

  // JVMTI events, on the thread concerned.
  void thread_started() {
    if (RanThreads* threads = ran_.load(std::memory_order_acquire)) threads->thread_started();
  }
  void thread_ended(JNIEnv* jni, jthread thread) {
    if (RanThreads* threads = ran_.load(std::memory_order_acquire)) {
      threads->thread_ended(jni, thread);
    }
  }

  void add_to(TimeData& data) override;
  void add_names(NamesInUse& used) override;
  void forget() override { counts_.clear(); }

 private:
  static constexpr std::uint32_t kTraces = 65536;
  static constexpr jint kRawFrames = kMaxTreeDepth + 16;  // some frames are not shown
  static constexpr jint kTraceFrames = 1024;  // differences near the root must be visible

  // The purpose of a round.
  struct Round {
    bool any() const { return interval_ns != 0; }

    std::int64_t interval_ns = 0;  // 0: no purpose
    SamplingDelay delay = SamplingDelay::kVaried;
    bool wall = false;
    std::int64_t unit_ns = 0;            // time per sample; 0: no samples are wanted
    std::shared_ptr<CallTree> traces;    // for samples
    std::shared_ptr<SampleTrace> trace;  // null: no trace
    std::uint32_t start = 0;             // number of the start() for samples
  };

  Clock::time_point begin(JNIEnv* jni) override;
  Clock::time_point sample(JNIEnv* jni, const Turn& turn) override;
  void end(JNIEnv* jni) override;

  std::string prepare(JNIEnv* jni, const StackNaming& naming);
  bool await_round();
  Round wanted_round() const;
  bool adopt(JNIEnv* jni, const Round& wanted, std::int64_t budget);
  void sample_threads(JNIEnv* jni, const Round& wanted, std::int64_t now_ns);
  void take(JNIEnv* jni, RanThread& thread, std::int64_t count, const Round& wanted,
            std::int64_t now_ns);
  void was_on_until(std::int64_t now_ns);
  void note(std::int64_t now_ns, std::int64_t own_ns, std::int64_t budget);

  jvmtiEnv* const jvmti_;
  SamplerThread& thread_;
  std::optional<StackNaming> naming_;
  std::vector<jvmtiFrameInfo> raw_;
  std::vector<Frame> frames_;                // of one stack, for the trace
  std::unique_ptr<RanThreads> ran_threads_;  // created at the first start, then kept
  std::atomic<RanThreads*> ran_{nullptr};
  SampleCounts counts_;
  MountedThreads mounted_;  // used by the sampler thread
  StopCost cost_;
  std::int64_t others_cost_ns_ = 0;  // in the current round
  std::optional<SamplingPace> pace_;
  std::minstd_rand random_;
  Clock::time_point due_{};
  std::int64_t last_ns_ = 0;  // time of the previous round
  std::uint32_t start_ = 0;   // the start() that rounds are for

  std::mutex switching_;  // serializes start and stop
  std::atomic<bool> is_tracing_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<Settings> wanted_;  // for samples; nullopt: off
  std::uint32_t starts_ = 0;
  std::shared_ptr<SampleTrace> trace_;  // null: no trace
  bool in_round_ = false;
  std::int64_t begun_ns_ = 0;  // start of the samples
  bool has_results_ = false;
  std::optional<SamplerFigures> figures_;
  std::shared_ptr<CallTree> traces_;  // replaced only while not sampling
};

}  // namespace ddm
