#include "core/pulse.h"

#include <algorithm>
#include <utility>

#include "core/log.h"

namespace ddm {

Pulse::Pulse(Task on_ring, std::chrono::milliseconds gap)
    : on_ring_(std::move(on_ring)), gap_(gap) {}

bool Pulse::start() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || chore_) return !stopped_;
  chore_ = Chores::of_process().add([this] { return run_due(); }, Clock::time_point::max());
  if (!chore_) log_error("no periodic events: no thread could be started");
  return chore_ != nullptr;
}

void Pulse::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    timers_.clear();
    if (!chore_) return;
  }
  Chores::of_process().end(chore_, /*wait=*/true);
}

void Pulse::at(std::uint64_t key, Clock::time_point due, Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !chore_) return;
  timers_[key] = {due, std::move(task)};
  Chores::of_process().hasten(*chore_);
}

void Pulse::hasten(std::uint64_t key, Clock::time_point due) {
  const std::lock_guard lock(mutex_);
  const auto timer = timers_.find(key);
  if (timer == timers_.end() || timer->second.due <= due) return;
  timer->second.due = due;
  Chores::of_process().hasten(*chore_);
}

void Pulse::cancel(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  timers_.erase(key);
}

Pulse::Clock::time_point Pulse::next_due() {
  Clock::time_point due = rung_ ? last_ring_ + gap_ : Clock::time_point::max();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, timer] : timers_) due = std::min(due, timer.due);
  return due;
}

Pulse::Task Pulse::take_due(Clock::time_point now) {
  if (rung_ && last_ring_ + gap_ <= now) {
    rung_ = false;
    last_ring_ = now;
    return on_ring_;
  }
  const std::lock_guard lock(mutex_);
  for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
    if (timer->second.due > now) continue;
    Task task = std::move(timer->second.task);
    timers_.erase(timer);
    return task;
  }
  return nullptr;
}

std::optional<Pulse::Clock::time_point> Pulse::run_due() {
  const Clock::time_point now = Clock::now();
  guarded("a periodic event", [&] {
    while (const Task task = take_due(now)) task();
  });
  return next_due();
}

}  // namespace ddm
