#include "time/stop_cost.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <utility>

#include "core/clocks.h"

namespace ddm {
namespace {

long switches_of_this_thread() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// The VM polls for a stopped thread with sleeps of 10 us, which timer slack extends to 60 (0: the
// default). Short sleeps measure the thread's CPU time better; but where each wake-up preempts
// another thread, fewer are better.
void set_nap_slack(unsigned long ns) { prctl(PR_SET_TIMERSLACK, ns, 0UL, 0UL, 0UL); }

}  // namespace

void StopCost::begin() {
  constexpr int kTries = 16;
  constexpr timespec kNap{0, 1};
  const std::int64_t before = cpu_of_this_thread_ns();
  for (int i = 0; i < kTries; ++i) nanosleep(&kNap, nullptr);
  switch_ns_ = (cpu_of_this_thread_ns() - before) / kTries;
  switches_ = switches_of_this_thread();
  stop_ns_ = 0;
  crowded_ = false;
  set_nap_slack(1);
}

void StopCost::begin_round(std::size_t ran) {
  const bool crowded = ran >= processors_;
  if (crowded == crowded_) return;
  crowded_ = crowded;
  set_nap_slack(crowded ? 0 : 1);
}

void StopCost::end() { set_nap_slack(0); }

std::int64_t StopCost::switched() {
  const long before = std::exchange(switches_, switches_of_this_thread());
  return crowded_ ? (switches_ - before) * switch_ns_ : 0;
}

}  // namespace ddm
