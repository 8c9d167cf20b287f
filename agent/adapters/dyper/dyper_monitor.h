// Monitoring, which DYPER's clients switch on: periodic snapshots of all threads, the agents that
// evaluate them, and the reports and stack dumps that are sent unsolicited.
//
// Snapshots are taken on the sampler's thread, within the budget that all samplers share: their cost is
// measured, and CHECKTIME is extended if it exceeds the budget. Everything else runs on the thread that
// answers commands.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "adapters/dyper/documents/dyper_agent.h"
#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/documents/thread_choice.h"
#include "adapters/dyper/memory_agent.h"
#include "adapters/dyper/thread_capture.h"
#include "time/sampler_thread.h"
#include "time/sampling_pace.h"
#include "vm/vm_thread_clock.h"

namespace ddm {

// "edu.brown.cs.dyvise.dyper.DyperAgentCpu" -> "CPU"
std::string agent_name(std::string_view given);

class DyperMonitor final : private Sampler {
 public:
  // `send`: a document to all clients.
  DyperMonitor(jvmtiEnv* jvmti, SamplerThread& sampler, Stacks& stacks, ReportAssembly& reports,
               std::string id, std::function<void(const std::string&)> send);

  // Supplies the counters of patched code, as RTITEM. To be called before all other methods.
  void count_with(std::function<void(JNIEnv*, XmlWriter&)> counted) {
    counted_ = std::move(counted);
  }

  // Reads or changes the variables; apply() must follow, and starts or stops monitoring.
  template <typename Use>
  auto with_variables(Use use) {
    const std::lock_guard lock(mutex_);
    return use(variables_);
  }
  template <typename Use>
  auto with_types(Use use) {
    const std::lock_guard lock(mutex_);
    return use(types_);
  }
  void apply(JNIEnv* jni, DyperErrors& errors);
  void use_threads(JNIEnv* jni, pugi::xml_node threads, DyperErrors& errors);
  bool monitors() const;
  ChosenThreads chosen_threads() const;  // as use_threads() and THREAD_DEFAULT have it

  // `agent`: the name of an agent, or of its class. False: there is no such agent, an error.
  bool set_active(std::string_view agent, bool on, DyperErrors& errors);
  bool clear(std::string_view agent, DyperErrors& errors);  // "": all of them
  bool set_detail(std::string_view agent, std::string_view item, bool on, DyperErrors& errors);

  void write_report(JNIEnv* jni, XmlWriter& xml);
  // The stacks of all threads, USETHREAD or not.
  bool write_stacks_of_all(JNIEnv* jni, XmlWriter& xml);
  // What the commands have taken so far.
  void add_command_ms(double ms);

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    double last = 0;
    void add(double value) { sum += last = value, ++count; }
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };

  Clock::time_point begin(JNIEnv* jni) override;
  Clock::time_point sample(JNIEnv* jni, const Turn& turn) override;
  void end(JNIEnv*) override {}

  // All with the lock held.
  bool wants_snapshots() const;
  void check(JNIEnv* jni, Clock::time_point now);
  void send_what_is_due(JNIEnv* jni, Clock::time_point now);
  void pay(const Turn& turn, std::int64_t vm_before_ns);
  std::chrono::nanoseconds pause();
  std::optional<ThreadSnapshot> take_snapshot(JNIEnv* jni);
  ThreadCapture::Wanted wanted() const;
  ThreadCapture* thread_capture(JNIEnv* jni);  // null: stacks of this VM cannot be taken
  std::string report(JNIEnv* jni);
  DyperAgent* agent(std::string_view name);
  // Of that name, or all of them.
  template <typename Use>
  bool use_agents(std::string_view name, DyperErrors& errors, Use use);

  jvmtiEnv* const jvmti_;
  Stacks& stacks_;
  SamplerThread& sampler_;
  const std::string id_;
  const std::function<void(const std::string&)> send_;
  std::function<void(JNIEnv*, XmlWriter&)> counted_;

  mutable std::mutex mutex_;                // of what follows
  std::optional<ThreadCapture> capture_;    // created on demand
  std::optional<VmThreadClock> vm_thread_;  // likewise
  DyperVariables variables_;
  ClassTypes types_;
  ThreadChoice choice_;
  std::vector<std::unique_ptr<DyperAgent>> agents_;
  MemoryAgent* memory_ = nullptr;          // one of them
  std::optional<bool> contention_before_;  // as the VM had it, while monitoring has changed it
  std::optional<SamplingPace> pace_;
  std::mt19937 random_;
  std::optional<Clock::time_point> last_check_;  // none: monitoring has just begun
  Clock::time_point last_report_;
  Clock::time_point last_turn_;
  Mean checks_ms_, reports_ms_, delays_ms_;
  double commands_ms_ = 0;
  double paid_ns_ = 0;
  Clock::duration active_time_{};
  std::int64_t budget_ = 0;  // as of the last sample()
  std::int64_t last_running_ = 1;
};

}  // namespace ddm
