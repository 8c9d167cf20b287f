#include "core/pulse.h"

#include <poll.h>

#include <algorithm>

#include "core/log.h"
#include "core/native_thread.h"

namespace ddm {
namespace {

int poll_timeout(Pulse::Clock::time_point due) {
  using std::chrono::milliseconds;
  if (due == Pulse::Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(due - Pulse::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Pulse::Pulse(Task on_ring, std::chrono::milliseconds gap)
    : on_ring_(std::move(on_ring)), gap_(gap) {}

bool Pulse::start() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  if (thread_.joinable()) return true;
  if (!waker_) {
    auto waker = Waker::create();
    if (!waker) {
      log_error("no periodic events: {}", waker.message());
      return false;
    }
    waker_ = std::move(*waker);
  }
  thread_ = start_native_thread("ddm-pulse", [this] { run(); });
  return thread_.joinable();
}

void Pulse::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    timers_.clear();
    if (!thread_.joinable()) return;
  }
  waker_->wake();
  thread_.join();
  waker_->close();
}

void Pulse::at(std::uint64_t key, Clock::time_point due, Task task) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !waker_) return;
  timers_[key] = {due, std::move(task)};
  waker_->wake();
}

void Pulse::hasten(std::uint64_t key, Clock::time_point due) {
  const std::lock_guard lock(mutex_);
  const auto timer = timers_.find(key);
  if (timer == timers_.end() || timer->second.due <= due) return;
  timer->second.due = due;
  waker_->wake();
}

void Pulse::cancel(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  timers_.erase(key);
}

Pulse::Clock::time_point Pulse::next_due() {
  Clock::time_point due = rung_ ? heard_ + gap_ : Clock::time_point::max();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, timer] : timers_) due = std::min(due, timer.due);
  return due;
}

Pulse::Task Pulse::take_due(Clock::time_point now) {
  if (rung_ && heard_ + gap_ <= now) {
    rung_ = false;
    heard_ = now;
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

void Pulse::run() {
  while (true) {
    pollfd waiting{waker_->fd(), POLLIN, 0};
    poll(&waiting, 1, poll_timeout(next_due()));
    waker_->reset();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
    }
    const Clock::time_point now = Clock::now();
    try {
      while (const Task task = take_due(now)) task();
    } catch (const std::exception& failure) {
      log_error("a periodic event: {}", failure.what());
    }
  }
}

}  // namespace ddm
