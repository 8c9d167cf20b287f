#include "time/totals/waiting_time.h"

#include <algorithm>

namespace ddm {

void WaitingTime::begin(std::int64_t now_ns, std::int64_t unit_ns, std::int64_t head_start_ns) {
  *this = {};
  unit_ns_ = unit_ns;
  checked_ns_ = now_ns;
  waited_ns_ = head_start_ns;
}

void WaitingTime::checked(std::int64_t now_ns, std::int64_t ran_ns, std::int64_t stands_for_ns,
                          SampleCounts& counts) {
  const std::int64_t passed_ns = now_ns - checked_ns_;
  waited_ns_ += passed_ns - ran_ns;
  checked_ns_ = now_ns;
  if (ran_ns > 0) ran_since_ = true;
  if (ran_since_ && passed_ns > ran_ns) {
    share_ns_ += static_cast<double>(stands_for_ns) * static_cast<double>(passed_ns - ran_ns) /
                 static_cast<double>(passed_ns);
  }
  if (where_ && (!ran_since_ || waited_ns_ < 0)) count(waited_ns_, counts);
}

// Less than 0: takes back, no more than was counted.
void WaitingTime::count(std::int64_t waited_ns, SampleCounts& counts) {
  const bool back = waited_ns < 0;
  const std::int64_t count = back
                                 ? std::max(-where_->counted, (waited_ns - unit_ns_ + 1) / unit_ns_)
                                 : waited_ns / unit_ns_;
  if (count == 0) return;
  counts.add(where_->thread, where_->stack, count);
  where_->counted += count;
  waited_ns_ -= count * unit_ns_;
}

void WaitingTime::found_running(SampleCounts& counts) {
  if (where_) count(std::max<std::int64_t>(waited_ns_, 0), counts);
  where_.reset();
  share_ns_ = 0;
}

void WaitingTime::found_waiting(std::string_view thread, TraceNumber stack, SampleCounts& counts) {
  if (where_) count(waited_ns_ - static_cast<std::int64_t>(share_ns_), counts);
  share_ns_ = 0;
  where_.emplace(Place{std::string(thread), stack});
  ran_since_ = false;
  count(std::max<std::int64_t>(waited_ns_, 0), counts);
}

}  // namespace ddm
