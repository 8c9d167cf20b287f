// The one budget of all that is hit, probes and patches, beside sampling: measures what hits cost
// in this VM, asks twenty times a second how many there were, at first more often, and has the
// dearest taken out.
//
// A thread of the agent's own, on which its users work too, and one aside on which classes are
// changed: that runs other agents' transformers, and one of them may hang. Any thread may ask for
// the figures and post; all else on the first.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probes/patches.h"
#include "probes/plans/probe_budget.h"
#include "probes/side_thread.h"
#include "vm/agent_thread.h"

namespace ddm {

// The hits of a counter or timer that have been paid for.
struct HitCounts {
  std::int64_t hits = 0, tests = 0;

  // Those since; from now on they are among the others.
  HitCounts since(const std::vector<std::int64_t>& counts, std::int32_t cell);
  double cost(const HitCosts& costs, bool timed) const;
};

// Who has something in that is hit.
class HitSpender {
 public:
  virtual ~HitSpender() = default;

  // What hits have cost since this was last asked, by numbers under 2^32. Number 0: cannot be taken
  // out any more.
  // `counts`: of all counters, as of a moment ago.
  virtual std::vector<ProbeBudget::Cost> spent(JNIEnv* jni, const HitCosts& costs,
                                               const std::vector<std::int64_t>& counts) = 0;
  // Those are the dearest, and the budget is exceeded. What others are to be told of each, if
  // anything. On the thread that changes classes.
  virtual std::vector<std::string> take_out(JNIEnv* jni,
                                            const std::vector<std::uint32_t>& numbers) = 0;
};

class HitBudget {
 public:
  struct Sources {
    std::function<std::int64_t()> sampler_ns;  // CPU that sampling has taken so far
    std::function<void(double)> tell_sampler;  // what hits take, in percent of one CPU
    std::int64_t percent = 5;
  };
  HitBudget(jvmtiEnv* jvmti, Patches& patches, Sources sources);

  Patches& patches() { return patches_; }
  AgentThread& thread() { return thread_; }

  // From now on; again with another limit. `percent`: 0 = the agent's own; of several the smallest
  // holds.
  void keep(JNIEnv* jni, HitSpender& spender, std::uint32_t percent);
  void let_go(JNIEnv* jni, HitSpender& spender);

  // Changes classes on the thread aside, which is waited for until it has stood still for 5 s.
  SideThread::Outcome change_classes(JNIEnv* jni, std::function<void(JNIEnv*)> work) {
    return aside_.run(jni, std::move(work));
  }
  // Nothing that was begun there goes on.
  bool changes_are_done() const { return aside_.idle(); }

  // Something of somebody's who is kept has gone into code just now, and what these threads have done
  // since was for that: it is looked at soon, before the VM has compiled it.
  void gone_in();
  // Of those that were taken out, since somebody is kept.
  const std::vector<std::string>& told() const { return told_; }

  // Of what the program uses without all that. The second since somebody is kept.
  double limit_percent() const { return limit_percent_; }
  double used_percent() const { return used_percent_; }
  // Why that is more than is allowed; "": it is not.
  std::string over_limit() const;

  // In VMDeath: nobody waits for a change of classes any longer. Any thread.
  void end_changes() { aside_.close(); }
  // In VMDeath.
  void close() {
    end_changes();
    thread_.stop(std::chrono::milliseconds(100));
  }

 private:
  struct Kept {
    HitSpender* spender;
    std::uint64_t number;
    std::uint32_t percent;
  };
  struct Known {  // of a moment
    std::int64_t wall_ns = 0, cpu_ns = 0, own_ns = 0, sampler_ns = 0;
  };

  void begin(JNIEnv* jni);
  void calibrate(JNIEnv* jni, int rounds);
  void step(JNIEnv* jni);
  void charge_own_work();
  void look_in(std::chrono::milliseconds time);
  Known now() const;
  std::int64_t own_ns() const;
  void take_out(JNIEnv* jni, const Kept& one, const std::vector<std::uint64_t>& dearest);
  void set_limit();

  Patches& patches_;
  SinksClass& sinks_;
  const Sources sources_;
  AgentThread thread_;
  SideThread aside_;
  std::vector<Kept> kept_;
  std::uint64_t last_number_ = 0;
  std::optional<ProbeBudget> budget_;  // while somebody is kept
  HitCosts costs_;
  Known last_;
  std::chrono::milliseconds next_look_{0};
  int steps_ = 0;
  double percent_of_cpu_ = 0;  // that hits take, of late
  std::vector<std::string> told_;
  std::atomic<double> limit_percent_, used_percent_{0};
};

}  // namespace ddm
