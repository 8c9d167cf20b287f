// The agent's clock and bell: one-shot timers, and the way out of a GC callback.
//
// A chore (core/chores.h) from start() on. Timers' tasks and the bell's must not wait, so they post
// to a lane. ring() is the one thing that may be called where the VM forbids everything else (a GC
// callback). Everything else: any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/chores.h"

namespace ddm {

class Pulse {
 public:
  using Clock = Chores::Clock;
  using Task = std::function<void()>;

  // What rings within `gap` of a ring that was heard is heard at the gap's end, as one.
  Pulse(Task on_ring, std::chrono::milliseconds gap);
  ~Pulse() { stop(); }

  // False, with a line in the log: there is no clock. A second call does nothing.
  bool start();

  // Microseconds: no task waits. None runs afterwards.
  void stop();

  // Runs `task` at `due`, once. A key has one timer: a later call replaces it.
  void at(std::uint64_t key, Clock::time_point due, Task task);
  // A timer that is set is due at `due` at the latest.
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
  // Until when there is nothing to do.
  Clock::time_point next_due();
  // The next task that is due; empty: none is.
  Task take_due(Clock::time_point now);

  const Task on_ring_;
  const std::chrono::milliseconds gap_;
  Chores::Handle
      chore_;  // null before start(); stays, since a callback may be on its way to ring()
  std::atomic<bool> rung_{false};

  std::mutex mutex_;
  std::map<std::uint64_t, Timer> timers_;
  bool stopped_ = false;

  Clock::time_point heard_{};  // the chore's own: when it last heard a ring
};

}  // namespace ddm
