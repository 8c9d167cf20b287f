#include "core/chores.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "core/log.h"
#include "core/native_thread.h"

namespace ddm {

struct Chores::Entry {
  Entry(Chore run, Clock::time_point when) : chore(std::move(run)), due(when) {}

  const Chore chore;
  Clock::time_point due;  // guarded by mutex_
  std::atomic<bool> hastened{false};
};

Chores& Chores::of_process() {
  static Chores& chores = *new Chores;
  return chores;
}

Chores::Handle Chores::add(Chore chore, Clock::time_point due) {
  auto entry = std::make_shared<Entry>(std::move(chore), due);
  const std::lock_guard lock(mutex_);
  chores_.push_back(entry);
  if (!running_) {
    std::thread thread = start_native_thread("ddm-chores", [this] { run(); });
    if (!thread.joinable()) {
      chores_.pop_back();
      return nullptr;
    }
    thread.detach();
    running_ = true;
  }
  wake();
  return entry;
}

void Chores::hasten(Entry& chore) noexcept {
  chore.hastened = true;
  wake();
}

void Chores::wake() noexcept {
  ++wakes_;
  syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Chores::end(const Handle& chore, bool wait) {
  std::unique_lock lock(mutex_);
  std::erase(chores_, chore);
  wake();  // ends the thread if this was the last chore
  if (wait) done_.wait(lock, [&] { return going_on_ != chore; });
}

void Chores::wait(std::uint32_t seen, Clock::time_point until) const noexcept {
  using std::chrono::nanoseconds;
  constexpr std::int64_t kLongest = 60'000'000'000, kSecond = 1'000'000'000;
  std::int64_t ns = kLongest;
  if (until != Clock::time_point::max()) {
    ns = std::clamp<std::int64_t>(nanoseconds(until - Clock::now()).count(), 0, kLongest);
  }
  const timespec limit{ns / kSecond, ns % kSecond};
  syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
}

Chores::Handle Chores::take_due(Clock::time_point& next) {
  const Clock::time_point now = Clock::now();
  for (const Handle& entry : chores_) {
    if (entry->hastened.exchange(false) || entry->due <= now) return entry;
    next = std::min(next, entry->due);
  }
  return nullptr;
}

void Chores::run() {
  std::unique_lock lock(mutex_);
  while (!chores_.empty()) {
    const std::uint32_t seen = wakes_;
    Clock::time_point next = Clock::time_point::max();
    going_on_ = take_due(next);
    if (!going_on_) {
      lock.unlock();
      wait(seen, next);
      lock.lock();
      continue;
    }
    lock.unlock();
    std::optional<Clock::time_point> again;
    try {
      again = going_on_->chore();
    } catch (const std::exception& failure) {
      log_failure("a chore", failure.what());
      again = Clock::now() + std::chrono::seconds(1);
    }
    lock.lock();
    if (again) {
      going_on_->due = *again;
    } else {
      std::erase(chores_, going_on_);
    }
    going_on_.reset();
    done_.notify_all();
  }
  running_ = false;
}

}  // namespace ddm
