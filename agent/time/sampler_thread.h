// The thread that looks at the program's threads now and then, for all who sample, and the budget of
// CPU for it: each is told what the others and probes take of it.
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

// All of it on the sampler's thread.
class Looker {
 public:
  using Clock = std::chrono::steady_clock;

  struct Turn {
    std::int64_t budget;       // percent of one CPU, of all that sample and of probes
    double others_percent;     // what others take of it, in the second before
    std::int64_t cpu_from_ns;  // the thread's CPU since then is this look's: waking up costs some
  };

  virtual ~Looker() = default;
  // These two return when the next look is due.
  virtual Clock::time_point begin(JNIEnv* jni) = 0;
  virtual Clock::time_point look(JNIEnv* jni, const Turn& turn) = 0;
  virtual void end(JNIEnv* jni) = 0;
};

class SamplerThread {
 public:
  explicit SamplerThread(jvmtiEnv* jvmti) : thread_(jvmti, "ddmagent-sampler") {}

  // Percent of one CPU, of all together.
  void set_budget(std::int64_t percent) { budget_ = percent; }
  std::int64_t budget() const { return budget_; }

  // "" or what went wrong. Whoever looks already is not started again.
  std::string start(JNIEnv* jni, Looker& looker);
  // False: its last look takes longer than kPatience, and goes on.
  bool stop(Looker& looker);
  // The next look is due now.
  void hasten(Looker& looker);
  // What probes take of the budget: percent of one CPU.
  void leave_to_probes(double percent) { probes_percent_ = percent; }
  // A look has cost so much CPU, here and in the threads looked at. By the looker, in look().
  void spend(std::int64_t ns) { spent_ns_ += ns; }
  std::int64_t cost_ns() const { return cost_ns_; }
  // At the VM's death, instead of stop().
  void close();

 private:
  static constexpr std::chrono::seconds kPatience{2};

  enum class State { kBeginning, kOn, kEnding };
  struct Entry {
    Looker* looker;
    State state = State::kBeginning;
    Looker::Clock::time_point due = {};
    std::int64_t spent_ns = 0;  // in this second
    double percent = 0;         // in the one before
  };

  void run(JNIEnv* jni);
  void take_turn(JNIEnv* jni, Entry& entry, std::unique_lock<std::mutex>& lock);
  Entry* find(const Looker& looker);
  Entry* next_due();
  double others_percent(const Entry& entry);

  AgentThread thread_;
  std::atomic<std::int64_t> cost_ns_{0};
  std::atomic<double> probes_percent_{0};
  std::atomic<std::int64_t> budget_{5};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::list<Entry> entries_;  // the thread alone takes any away
  bool running_ = false;      // run() has not left
  bool closing_ = false;

  // The thread's own.
  std::int64_t cpu_ns_ = 0;    // of the thread, after the last turn
  std::int64_t spent_ns_ = 0;  // by the turn that goes on
  Looker::Clock::time_point second_began_;
};

std::int64_t cpu_of_this_thread_ns();

}  // namespace ddm
