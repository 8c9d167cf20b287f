// How long one thread waited, and where (cpu=wall). Pure; used by the sampler thread.
//
// Between two checks a thread ran or was runnable for as long as the kernel reports, and waited the
// rest. If it has not run since it was found waiting, its stack is unchanged and counts again without
// being captured. Of an interval in which it did run, the place where it is found gets as much as
// its check stands for (LookRate), and the place before it the rest: dividing it equally would count
// a short wait after a long one too low, since the long one makes checks rare.
//
// The kernel reports a run delay only when it ends: what was counted as waiting
// before is then subtracted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stack/tree/call_tree.h"
#include "time/totals/sample_counts.h"

namespace ddm {

class WaitingTime {
 public:
  // `unit_ns`: time per sample. `head_start_ns`: random offset within it, see RanThreads::poll().
  void begin(std::int64_t now_ns, std::int64_t unit_ns, std::int64_t head_start_ns);

  // Since the last check, or begin(), the thread ran or was runnable for `ran_ns`. `stands_for_ns`:
  // the time since the last round, as many times as this check is rare.
  void checked(std::int64_t now_ns, std::int64_t ran_ns, std::int64_t stands_for_ns,
               SampleCounts& counts);

  // It has not run since it was found waiting, so this wait is counted without a new stack.
  bool is_counted() const { return where_ && !ran_since_; }
  // The waiting time not counted yet has reached the time of a sample.
  bool is_due() const { return waited_ns_ >= unit_ns_; }

  // Attributes the waiting time to the last known place, or keeps it until the thread is found
  // waiting.
  void found_running(SampleCounts& counts);
  // `thread`: its name.
  void found_waiting(std::string_view thread, TraceNumber stack, SampleCounts& counts);

 private:
  struct Place {
    std::string thread;
    TraceNumber stack;
    std::int64_t counted = 0;  // samples since it was found there
  };

  void count(std::int64_t waited_ns, SampleCounts& counts);

  std::int64_t unit_ns_ = 0;
  std::int64_t checked_ns_ = 0;
  std::int64_t waited_ns_ = 0;  // not counted yet, plus the head start
  double share_ns_ = 0;         // of it, what the next place gets; may be more
  std::optional<Place> where_;  // where it was last found waiting
  bool ran_since_ = false;
};

}  // namespace ddm
