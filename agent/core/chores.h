// What is to be done now and then, by one thread that the VM does not know: timers, figures of files,
// a look at the loader. The thread is there while there are chores, and nobody ever joins it, so that
// a chore may wait for a disk; the others wait for it then.
//
// hasten() may be called anywhere, a GC callback and a hook of dlopen() included. Everything else:
// any thread. One instance a process, never destroyed.
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
  // Does it, and says when it is due again; none: never, it is over.
  using Chore = std::function<std::optional<Clock::time_point>()>;
  class Entry;
  using Handle = std::shared_ptr<Entry>;

  static Chores& of_process();

  // From `due` on. Null: no thread can be started.
  Handle add(Chore chore, Clock::time_point due);
  // It is due now.
  void hasten(Entry& chore) noexcept;
  // It does not begin any more. With `wait`, it does not go on either; not from a chore.
  void end(const Handle& chore, bool wait = false);

 private:
  void run();
  void wake() noexcept;
  // What is due; null: nothing is before `next`.
  Handle take_due(Clock::time_point& next);
  void wait(std::uint32_t seen, Clock::time_point until) const noexcept;

  std::atomic<std::uint32_t> wakes_{0};  // rises when there is something to look at: a futex
  std::mutex mutex_;                     // of what follows
  std::condition_variable done_;
  std::vector<Handle> chores_;
  Handle going_on_;
  bool running_ = false;  // there is a thread
};

}  // namespace ddm
