// The thread that samples the program's threads for all samplers, and their common CPU budget: each
// is told the share that the others and probes use.
//
// start(), stop() and hasten() on any attached thread but this one.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

#include "vm/agent_thread.h"

namespace ddm {

// All methods are called on the sampler thread.
class Sampler {
 public:
  using Clock = std::chrono::steady_clock;

  struct Turn {
    std::int64_t budget;       // percent of one CPU, for all users and probes
    double others_percent;     // the share that the others used in the previous second
    std::int64_t cpu_from_ns;  // CPU clock from which on this round is charged, wake-up included
  };

  virtual ~Sampler() = default;
  // Both return when the next round is due.
  virtual Clock::time_point begin(JNIEnv* jni) = 0;
  virtual Clock::time_point sample(JNIEnv* jni, const Turn& turn) = 0;
  virtual void end(JNIEnv* jni) = 0;
};

class SamplerThread {
 public:
  explicit SamplerThread(jvmtiEnv* jvmti) : thread_(jvmti, "ddmagent-sampler") {
    thread_.end_when_idle();
  }

  // Percent of one CPU, for all together.
  void set_budget(std::int64_t percent) { budget_ = percent; }
  std::int64_t budget() const { return budget_; }

  // "" or the error. Does nothing if `sampler` was started already.
  std::string start(JNIEnv* jni, Sampler& sampler);
  // False: its last round takes longer than kPatience, and continues.
  bool stop(Sampler& sampler);
  // Makes the next round due now.
  void hasten(Sampler& sampler);
  // The probes' share of the budget: percent of one CPU.
  void set_probes_percent(double percent) { probes_percent_ = percent; }
  // Charges CPU time of a round, here and in the sampled threads. Called by the sampler, in sample().
  void spend(std::int64_t ns) { spent_ns_ += ns; }
  std::int64_t cost_ns() const { return cost_ns_; }
  // Replaces stop() in VMDeath.
  void close();

 private:
  static constexpr std::chrono::seconds kPatience{2};

  enum class State { kBeginning, kOn, kEnding };
  struct Entry {
    Sampler* sampler;
    State state = State::kBeginning;
    Sampler::Clock::time_point due = {};
    std::int64_t spent_ns = 0;  // in this second
    double percent = 0;         // in the previous second
  };

  void run(JNIEnv* jni);
  void take_turn(JNIEnv* jni, Entry& entry, std::unique_lock<std::mutex>& lock);
  Entry* find(const Sampler& sampler);
  Entry* next_due();
  double others_percent(const Entry& entry);

  AgentThread thread_;
  std::atomic<std::int64_t> cost_ns_{0};
  std::atomic<double> probes_percent_{0};
  std::atomic<std::int64_t> budget_{5};
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Entry> entries_;  // erased by the thread, or where there is none
  bool running_ = false;      // run() has not returned
  bool closing_ = false;

  // Used by the thread only:
  std::int64_t cpu_ns_ = 0;    // its CPU clock after the last turn
  std::int64_t spent_ns_ = 0;  // charged by the current turn
  Sampler::Clock::time_point second_began_;
};

}  // namespace ddm
