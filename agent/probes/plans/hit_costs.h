// What a hit costs in this VM, from measurements that begin before the JIT has compiled the
// measured code, and that may be interrupted by other threads. Pure; for one thread.
#pragma once

#include <cstdint>
#include <span>

#include "probes/plans/probe_budget.h"

namespace ddm {

// What a hit costs, in nanoseconds.
struct HitCosts {
  double count = 0;   // a hit that is counted
  double test = 0;    // a condition that does not hold
  double timed = 0;   // a call that is timed
  double native = 0;  // a call of a native method, without the work inside
  double step = 0;    // a comparison that reads one field of an object by name

  // Zero: the measurement failed.
  bool known() const { return count > 0; }
};

// What the condition of a probe costs at each hit, beside `test`, whether it holds or not.
struct ConditionWork {
  bool timed = false;      // it is about the duration: the clock is read twice
  std::int64_t steps = 0;  // fields, elements and texts that it reads

  bool is_cheap() const { return !timed && steps == 0; }
};

// The hits and evaluations of conditions of one probe, in nanoseconds.
double cost_of_hits(const HitCosts& costs, std::int64_t hits, std::int64_t tests, bool timed,
                    const ConditionWork& work);

class KnownHitCosts {
 public:
  // The lowest cost counts most, as the cost of JIT-compiled code. A higher one is approached
  // slowly, and only up to twice the lowest: the VM may discard the compiled code of the
  // measurement alone, while the program's code stays compiled.
  void measured(const HitCosts& latest);
  // The measured code is compiled, as far as earlier measurements tell.
  bool is_compiled(const HitCosts& latest) const;

  const HitCosts& now() const { return now_; }

 private:
  HitCosts now_, least_;
};

// Hits of threads without cells of their own are natives, of which only the sum is known: `ns` are
// divided among the probes as their hits were charged.
void add_shared_hits(std::span<ProbeBudget::Cost> costs, double ns);

// Each cost is the lower one of both; an unknown one is ignored.
HitCosts lower_of(const HitCosts& one, const HitCosts& other);

}  // namespace ddm
