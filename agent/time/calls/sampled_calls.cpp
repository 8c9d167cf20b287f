#include "time/calls/sampled_calls.h"

#include <algorithm>
#include <utility>

namespace ddm {

void SampledCalls::leave_down_to(std::uint16_t number, Thread& thread, std::size_t depth) {
  while (thread.open.size() > depth) {
    events_.push_back(
        {thread.wall_micros, thread.cpu_micros, thread.open.back(), number, TraceEvent::kReturn});
    thread.open.pop_back();
  }
}

void SampledCalls::add(std::uint16_t number, std::span<const std::uint32_t> stack,
                       std::uint64_t wall_micros, std::uint64_t cpu_micros) {
  if (events_.size() >= most_events_) {
    overflow_ = true;
    return;
  }
  Thread& thread = threads_[number];
  thread.wall_micros = wall_micros;
  thread.cpu_micros = cpu_micros;
  const auto common = static_cast<std::size_t>(
      std::mismatch(thread.open.begin(), thread.open.end(), stack.begin(), stack.end()).first -
      thread.open.begin());
  leave_down_to(number, thread, common);
  for (const std::uint32_t method : stack.subspan(common)) {
    events_.push_back({wall_micros, cpu_micros, method, number, TraceEvent::kEnter});
    thread.open.push_back(method);
  }
}

void SampledCalls::end(std::uint16_t number, bool lives, std::uint64_t wall_micros) {
  const auto found = threads_.find(number);
  if (found == threads_.end()) return;
  Thread& thread = found->second;
  if (lives) thread.wall_micros = std::max(thread.wall_micros, wall_micros);
  leave_down_to(number, thread, 0);
  threads_.erase(found);
}

std::vector<TraceEvent> SampledCalls::take() {
  std::ranges::stable_sort(events_, {}, &TraceEvent::wall_micros);
  return std::exchange(events_, {});
}

}  // namespace ddm
