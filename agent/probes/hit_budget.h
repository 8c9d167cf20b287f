// One CPU budget for the hits of all probes and patches; sampling is charged to it too. Measures
// the cost of a hit in this VM, reads the hit counts twenty times a second, more often at first,
// and removes the probes with the highest cost when the budget is exceeded.
//
// Runs on an agent thread that the users of the budget share. Classes are changed on a side thread,
// since retransformation runs other agents' transformers, and a transformer may hang. Any thread
// may read the figures and post work; everything else runs on the agent thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/exit_limits.h"
#include "probes/patches.h"
#include "probes/plans/hit_costs.h"
#include "probes/plans/probe_budget.h"
#include "probes/side_thread.h"
#include "vm/agent_thread.h"

namespace ddm {

// The hits of a counter or timer that have been paid for.
struct HitCounts {
  std::int64_t hits = 0, tests = 0;

  // The hits since the last call; this call marks them as paid for.
  HitCounts since(const std::vector<std::int64_t>& counts, std::int32_t cell);
  double cost(const HitCosts& costs, bool timed, const ConditionWork& work = {}) const;
};

// An owner of probes or patches whose hits are charged to the budget.
class BudgetUser {
 public:
  virtual ~BudgetUser() = default;

  // The cost of hits since the last call, by numbers below 2^32; number 0: of removed probes.
  // `counts`: all counters, read a moment ago.
  virtual std::vector<ProbeBudget::Cost> new_costs(JNIEnv* jni, const HitCosts& costs,
                                                   const std::vector<std::int64_t>& counts) = 0;
  // The budget is exceeded, and these numbers have the highest costs: remove them. Returns messages
  // about the removed ones for messages(). On the thread that changes classes.
  virtual std::vector<std::string> remove(JNIEnv* jni,
                                          const std::vector<std::uint32_t>& numbers) = 0;
};

class HitBudget {
 public:
  struct Sources {
    std::function<std::int64_t()> sampler_ns;       // CPU that sampling has taken so far
    std::function<void(double)> report_to_sampler;  // the cost of hits, in percent of one CPU
    std::function<std::int64_t()> percent;          // budget= as given last
  };
  HitBudget(jvmtiEnv* jvmti, Patches& patches, Sources sources);

  Patches& patches() { return patches_; }
  AgentThread& thread() { return thread_; }

  // Charges the user's hits from now on; a repeated call changes its limit. `percent`: 0 = the
  // agent's own limit. The smallest limit of all users holds.
  void add_user(JNIEnv* jni, BudgetUser& user, std::uint32_t percent);
  void remove_user(BudgetUser& user);

  // Changes classes on the side thread. The call gives up once that thread has stalled for 5 s.
  SideThread::Outcome change_classes(JNIEnv* jni, std::function<void(JNIEnv*)> work) {
    return side_thread_.run(jni, std::move(work));
  }
  // No change of classes is in progress.
  bool changes_are_done() const { return side_thread_.idle(); }

  // A user has just patched code. Charges the CPU that both threads used for that, and
  // reads the counts again within milliseconds, before the JIT has compiled the patched code.
  void patches_installed();
  // The messages of remove(), since the budget has had a user.
  const std::vector<std::string>& messages() const { return messages_; }

  // Percent of the CPU that the program uses by itself; used: since the budget has had a user.
  double limit_percent() const { return limit_percent_; }
  std::int64_t option_percent() const { return sources_.percent(); }
  double used_percent() const { return used_percent_; }
  // One sentence if the used share exceeds the limit; "": it does not.
  std::string over_limit() const;

  // In VMDeath: ends all waiting for a change of classes. Any thread.
  void end_changes() { side_thread_.close(); }
  // In VMDeath.
  void close() {
    end_changes();
    thread_.stop(exit_limits::kRoundLimit);
  }

 private:
  struct User {
    BudgetUser* user;
    std::uint64_t number;
    std::uint32_t percent;
  };
  struct Clocks {  // clocks at one moment
    std::int64_t wall_ns = 0, cpu_ns = 0, own_ns = 0, sampler_ns = 0;
  };

  void begin(JNIEnv* jni);
  HitCosts calibrate(JNIEnv* jni, int rounds);
  void step(JNIEnv* jni);
  void charge_own_work();
  void poll_every(std::chrono::milliseconds time);
  Clocks now() const;
  std::int64_t own_ns() const;
  void remove_probes(JNIEnv* jni, const User& one, const std::vector<std::uint64_t>& costliest);
  void set_limit();

  Patches& patches_;
  SinksClass& sinks_;
  const Sources sources_;
  AgentThread thread_;
  SideThread side_thread_;
  std::vector<User> users_;
  std::uint64_t last_number_ = 0;
  std::optional<ProbeBudget> budget_;  // while there are users
  KnownHitCosts costs_;
  Clocks last_;
  std::chrono::milliseconds poll_period_{0};
  int steps_ = 0;
  std::int64_t shared_hits_ = 0;  // that have been paid for
  double percent_of_cpu_ = 0;     // the recent cost of hits
  std::vector<std::string> messages_;
  std::atomic<double> limit_percent_, used_percent_{0};
};

}  // namespace ddm
