#include "wire/sessions/io_loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/exit_limits.h"
#include "core/log.h"
#include "core/native_thread.h"

namespace ddm {
namespace {

using exit_limits::kSocketsLimit;

constexpr int kBlindTurn = 100;  // milliseconds

int poll_timeout(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Result<std::shared_ptr<IoLoop>> IoLoop::create(Log log) {
  auto waker = Waker::create();
  if (!waker) return waker.error();
  return std::shared_ptr<IoLoop>(new IoLoop(std::move(*waker), std::move(log)));
}

bool IoLoop::add(std::shared_ptr<Door> door) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  if (!thread_.joinable()) thread_ = start_native_thread("ddm-io", [this] { run(); });
  if (!thread_.joinable()) return false;
  doors_.push_back(std::move(door));
  waker_->wake();
  return true;
}

void IoLoop::remove(const Door& door) {
  {
    std::unique_lock lock(mutex_);
    const auto at =
        std::ranges::find_if(doors_, [&](const auto& one) { return one.get() == &door; });
    if (stopping_ || at == doors_.end()) return;
    leaving_.push_back(std::move(*at));
    doors_.erase(at);
    waker_->wake();
    if (!closed_.wait_for(lock, kSocketsLimit, [this] { return leaving_.empty(); })) {
      // A program that closes all descriptors closes the waker's, too: nothing ends poll() then.
      stopping_ = true;
      thread_.detach();
      kept_by_thread_ = shared_from_this();
      return;
    }
    if (!doors_.empty()) return;
  }
  stop();
}

void IoLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true) || !thread_.joinable()) return;
  }
  waker_->wake();
  thread_.join();
  waker_->close();
}

std::optional<std::vector<std::shared_ptr<Door>>> IoLoop::doors() {
  std::unique_lock lock(mutex_);
  const bool over = stopping_;
  if (over) {
    leaving_.insert(leaving_.end(), doors_.begin(), doors_.end());
    doors_.clear();
  }
  const std::vector<std::shared_ptr<Door>> leaving = leaving_;
  lock.unlock();
  for (const auto& door : leaving) door->close();
  lock.lock();
  std::erase_if(leaving_, [&](auto& one) { return std::ranges::count(leaving, one) != 0; });
  if (leaving_.empty()) closed_.notify_all();
  if (over && leaving_.empty()) return std::nullopt;
  return doors_;
}

void IoLoop::run() {
  while (true) {
    try {
      const auto served = doors();
      if (!served) return;
      turn(*served);
    } catch (const std::exception& error) {
      // Most likely bad_alloc. The connections are consistent; continue with the next turn.
      log_failure("connections", error.what());
      poll(nullptr, 0, 5);
    }
  }
}

void IoLoop::turn(const std::vector<std::shared_ptr<Door>>& doors) {
  std::vector<pollfd> polled = {{waker_->fd(), POLLIN, 0}};
  std::vector<std::size_t> begins;
  Clock::time_point deadline = Clock::time_point::max();
  for (const auto& door : doors) {
    begins.push_back(polled.size());
    door->add_polled(polled);
    deadline = std::min(deadline, door->deadline());
  }
  if (poll(polled.data(), polled.size(), poll_timeout(deadline)) < 0) return;
  // The program has closed the agent's descriptors, too: from now on poll() waits for nothing.
  if ((polled[0].revents & POLLNVAL) != 0) poll(nullptr, 0, kBlindTurn);
  waker_->reset();
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < doors.size(); ++i) doors[i]->turn(&polled[begins[i]], now);
}

}  // namespace ddm
