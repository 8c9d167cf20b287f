// Where CPU goes, by samples (cpu=samples): one thread of the agent looks at the others every so
// often and takes the stacks of those that have run.
//
// A stack stands for the CPU that its thread has used since its last one, in units of the interval
// that was asked for: the counts of a thread times the interval are its CPU, however seldom it was
// looked at. Only a thread that is met running is counted, so what a thread does before it waits is
// not charged to the waiting; its CPU is kept for the next time.
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
#include <string>

#include "jvm/agent_thread.h"
#include "jvm/mounted_threads.h"
#include "records/sample_counts.h"
#include "records/time_data.h"
#include "stack/stack_naming.h"
#include "time/ran_threads.h"
#include "time/sampling_pace.h"

namespace ddm {

class CpuSampler final : public TimeDataSource {
 public:
  explicit CpuSampler(jvmtiEnv* jvmti) : jvmti_(jvmti), thread_(jvmti, "ddmagent-sampler") {}

  struct Settings {
    std::int64_t interval_ms = 10;
    std::int64_t budget = 5;
    friend bool operator==(const Settings&, const Settings&) = default;
  };

  // Any attached thread. start() forgets what was found before, unless it is on as it is asked to
  // be; "" or what went wrong. stop() keeps what was found.
  std::string start(JNIEnv* jni, const StackNaming& naming, Settings settings);
  void stop();
  // At the VM's death, instead of stop().
  void close();

  // JVMTI's events, on the thread concerned.
  void threads_changed() {
    if (RanThreads* threads = ran_.load(std::memory_order_acquire)) threads->threads_changed();
  }

  // CPU that it has taken so far, its own and that of others.
  std::int64_t cost_ns();

  void add_to(TimeData& data) override;
  void add_names(NamesInUse& used) override;
  void forget() override { counts_.clear(); }

 private:
  static constexpr std::uint32_t kTraces = 65536;
  static constexpr jint kRawFrames = kMaxDepth + 16;  // some are not shown

  void run(JNIEnv* jni, Settings settings);
  void look(JNIEnv* jni, std::int64_t unit_ns, std::int64_t now_ns);
  void take(JNIEnv* jni, RanThread& thread, std::int64_t count, std::int64_t unit_ns,
            std::int64_t now_ns);
  void calibrate(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  AgentThread thread_;
  std::optional<StackNaming> naming_;
  std::unique_ptr<RanThreads> ran_threads_;  // made at the first start, then kept
  std::atomic<RanThreads*> ran_{nullptr};
  SampleCounts counts_;
  MountedThreads mounted_;            // of the sampler's thread
  std::int64_t stack_cost_ns_ = 0;    // estimated, of a thread that stops for its stack
  std::int64_t frame_cost_ns_ = 0;    // and more for each frame
  std::int64_t others_cost_ns_ = 0;   // of the look that is going on

  std::mutex switching_;  // of start and stop
  std::mutex mutex_;      // of what follows
  std::condition_variable changed_;
  std::optional<Settings> wanted_;  // none: off
  bool running_ = false;            // run() has not left
  std::optional<SamplerFigures> figures_;
  std::shared_ptr<Traces> traces_;  // replaced while no sampler runs
};

}  // namespace ddm
