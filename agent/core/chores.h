// Periodic work on one thread that the VM does not know: timers, the figures of a ring file, a
// check of the loaded libraries. The thread exists while there are chores and is never joined, so a
// chore may block on a disk; the other chores are late then.
//
// hasten() may be called from anywhere, a GC callback and a hook of dlopen() included; everything
// else from any thread. One instance per process, never destroyed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ddm {

class Chores {
 public:
  using Clock = std::chrono::steady_clock;
  // Runs the chore once and returns when it is due next; nullopt removes it.
  using Chore = std::function<std::optional<Clock::time_point>()>;
  struct Entry;
  using Handle = std::shared_ptr<Entry>;

  static Chores& of_process();

  // First run at `due`. Null: the thread could not be started.
  Handle add(Chore chore, Clock::time_point due);
  // Makes the chore due now.
  void hasten(Entry& chore) noexcept;
  // The chore starts no further run. With `wait`, returns after a run in progress; never call that
  // from a chore.
  void end(const Handle& chore, bool wait = false);

 private:
  void run();
  void wake() noexcept;
  // A chore that is due; null: none is due before `next`.
  Handle take_due(Clock::time_point& next);
  void wait(std::uint32_t seen, Clock::time_point until) const noexcept;

  std::atomic<std::uint32_t> wakes_{0};  // futex word, incremented on every change
  std::mutex mutex_;                     // guards what follows
  std::condition_variable done_;
  std::vector<Handle> chores_;
  Handle going_on_;
  bool running_ = false;  // the thread exists
};

}  // namespace ddm
