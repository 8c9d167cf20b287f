// One-shot timers, and ring(): the way out of a GC callback.
//
// Runs as a chore (core/chores.h) from start() on. Tasks must not block, so they post to a lane.
// ring() may be called where the VM forbids everything else (a GC callback); everything else from
// any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "core/chores.h"

namespace ddm {

class Pulse {
 public:
  using Clock = Chores::Clock;
  using Task = std::function<void()>;

  // `on_ring` runs at most once per `gap`: further rings within the gap are served by one call at
  // its end.
  Pulse(Task on_ring, std::chrono::milliseconds gap);
  ~Pulse() { stop(); }

  // False: no thread could be started, which is logged. A second call does nothing.
  bool start();

  // No task starts afterwards. Waits microseconds for a running one, since tasks do not block.
  void stop();

  // Runs `task` once at `due`. There is one timer per key: a later call replaces it.
  void at(std::uint64_t key, Clock::time_point due, Task task);
  // Moves a timer that is set to `due` if it would be later.
  void hasten(std::uint64_t key, Clock::time_point due);
  void cancel(std::uint64_t key);

  // Only after start().
  void ring() noexcept {
    rung_ = true;
    Chores::of_process().hasten(*chore_);
  }

 private:
  struct Timer {
    Clock::time_point due;
    Task task;
  };

  std::optional<Clock::time_point> run_due();
  // When the chore has to run next.
  Clock::time_point next_due();
  // The next due task; empty: there is none.
  Task take_due(Clock::time_point now);

  const Task on_ring_;
  const std::chrono::milliseconds gap_;
  Chores::Handle
      chore_;  // null before start(); never reset, since a GC callback may be inside ring()
  std::atomic<bool> rung_{false};

  std::mutex mutex_;
  std::map<std::uint64_t, Timer> timers_;
  bool stopped_ = false;

  Clock::time_point last_ring_{};  // when on_ring_ was last called; used by the chore alone
};

}  // namespace ddm
