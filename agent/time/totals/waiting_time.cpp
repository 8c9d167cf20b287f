#include "time/totals/waiting_time.h"

#include <algorithm>

namespace ddm {

void WaitingTime::begin(std::int64_t now_ns, std::int64_t unit_ns, std::int64_t head_start_ns) {
  *this = {};
  unit_ns_ = unit_ns;
  checked_ns_ = now_ns;
  waited_ns_ = head_start_ns;
}

void WaitingTime::checked(std::int64_t now_ns, std::int64_t ran_ns, SampleCounts& counts) {
  waited_ns_ += now_ns - checked_ns_ - ran_ns;
  checked_ns_ = now_ns;
  if (ran_ns > 0) ran_since_ = true;
  if (!where_) return;
  if (!ran_since_) return count(waited_ns_, counts);
  if (waited_ns_ >= 0) return;
  const std::int64_t too_many = std::min(where_->counted, (unit_ns_ - 1 - waited_ns_) / unit_ns_);
  count(-too_many * unit_ns_, counts);
}

void WaitingTime::count(std::int64_t waited_ns, SampleCounts& counts) {
  const std::int64_t count = waited_ns / unit_ns_;
  if (count == 0) return;
  counts.add(where_->thread, where_->stack, count);
  where_->counted += count;
  waited_ns_ -= count * unit_ns_;
}

void WaitingTime::found_running(SampleCounts& counts) {
  if (where_) count(std::max<std::int64_t>(waited_ns_, 0), counts);
  where_.reset();
}

void WaitingTime::found_waiting(std::string_view thread, TraceNumber stack, SampleCounts& counts) {
  if (where_) count(std::max<std::int64_t>(waited_ns_ / 2, 0), counts);
  where_.emplace(Place{std::string(thread), stack});
  ran_since_ = false;
  count(std::max<std::int64_t>(waited_ns_, 0), counts);
}

}  // namespace ddm
