// Where CPU goes, by samples (cpu=samples): the sampler's thread looks at the others every so often
// and takes the stacks of those that have run.
//
// A stack stands for the CPU that its thread has used since its last one, in units of the interval
// that was asked for: the counts of a thread times the interval are its CPU, however seldom it was
// looked at. Only a thread that is met running is counted, so what a thread does before it waits is
// not charged to the waiting; its CPU is kept for the next time.
//
// The stacks may also go into a trace, each one that is taken (SPSS). Then stacks of all threads that
// have run are taken at every look, at the shorter one of the two intervals.
//
// A stack is taken where its thread can stop (at a safepoint poll), as JVMTI does it. What looking
// costs, here and in the threads that stop for it, is held under the budget by looking more seldom.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
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

class CpuSampler final : public TimeDataSource, private Looker {
 public:
  struct Settings {
    std::int64_t interval_ms = 10;
    SamplingDelay delay = SamplingDelay::kVaried;
    friend bool operator==(const Settings&, const Settings&) = default;
  };

  CpuSampler(jvmtiEnv* jvmti, SamplerThread& thread) : jvmti_(jvmti), thread_(thread) {}

  // Any attached thread. start() forgets what was found before, unless it is on as it is asked to
  // be; "" or what went wrong. stop() keeps what was found.
  std::string start(JNIEnv* jni, const StackNaming& naming, Settings settings);
  void stop();
  // The same for a trace; one at a time, beside samples or alone.
  std::string start_trace(JNIEnv* jni, const StackNaming& naming,
                          std::shared_ptr<SampleTrace> trace);
  bool tracing();
  // None, with the reason: there is no trace, or the sampler does not let go of it.
  Result<MethodTrace> stop_trace();

  // JVMTI's events, on the thread concerned.
  void threads_changed() {
    if (RanThreads* threads = ran_.load(std::memory_order_acquire)) threads->threads_changed();
  }

  void add_to(TimeData& data) override;
  void add_names(NamesInUse& used) override;
  void forget() override { counts_.clear(); }

 private:
  static constexpr std::uint32_t kTraces = 65536;
  static constexpr jint kRawFrames = kMaxTreeDepth + 16;  // some are not shown
  static constexpr jint kTraceFrames = 1024;  // where two stacks differ shows from outside

  // What a look is for.
  struct Look {
    bool any() const { return interval_ns != 0; }

    std::int64_t interval_ns = 0;  // 0: for nothing any more
    SamplingDelay delay = SamplingDelay::kVaried;
    std::int64_t unit_ns = 0;            // of CPU that a sample stands for; 0: none is wanted
    std::shared_ptr<CallTree> traces;    // of samples
    std::shared_ptr<SampleTrace> trace;  // null: none is wanted
    std::uint32_t start = 0;             // of samples, the how manyth
  };

  Clock::time_point begin(JNIEnv* jni) override;
  Clock::time_point look(JNIEnv* jni, const Turn& turn) override;
  void end(JNIEnv* jni) override;

  std::string prepare(JNIEnv* jni, const StackNaming& naming);
  bool stop_looking();
  Look wanted_look() const;
  bool adopt(JNIEnv* jni, const Look& wanted, std::int64_t budget);
  Clock::time_point next_due(SamplingDelay delay);
  void look_at_threads(JNIEnv* jni, const Look& wanted, std::int64_t now_ns);
  void take(JNIEnv* jni, RanThread& thread, std::int64_t count, const Look& wanted,
            std::int64_t now_ns);
  void note(std::int64_t now_ns, std::int64_t own_ns, std::int64_t budget);
  void fail(const char* reason);

  jvmtiEnv* const jvmti_;
  SamplerThread& thread_;
  std::optional<StackNaming> naming_;
  std::vector<jvmtiFrameInfo> raw_;
  std::vector<Frame> frames_;                // of one stack, for the trace
  std::unique_ptr<RanThreads> ran_threads_;  // made at the first start, then kept
  std::atomic<RanThreads*> ran_{nullptr};
  SampleCounts counts_;
  MountedThreads mounted_;  // of the sampler's thread
  StopCost cost_;
  std::int64_t others_cost_ns_ = 0;  // of the look that is going on
  std::optional<SamplingPace> pace_;
  std::minstd_rand random_;
  Clock::time_point due_{};
  std::int64_t last_ns_ = 0;  // of the look before
  std::uint32_t start_ = 0;   // of the samples that looks are for

  std::mutex switching_;  // of start and stop
  std::mutex mutex_;      // of what follows
  std::condition_variable changed_;
  std::optional<Settings> wanted_;  // of samples; none: off
  std::uint32_t starts_ = 0;
  std::shared_ptr<SampleTrace> trace_;  // null: none is wanted
  bool looking_ = false;
  std::int64_t begun_ns_ = 0;  // of the samples
  std::optional<SamplerFigures> figures_;
  std::shared_ptr<CallTree> traces_;  // replaced while no sampler runs
};

}  // namespace ddm
