// The queue of one lane, fair between sessions: each session's tasks keep their order, and the next
// task is of the session that has used the lane least. A session that was idle starts at the
// current minimum and gets no credit, and when no task can run, what idle sessions have used is
// forgotten. A session whose send queue is full is skipped until it reads.
//
// Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "wire/chunks/session.h"

namespace ddm {

class FairQueue {
 public:
  using Task = std::function<void()>;
  using Clock = std::chrono::steady_clock;

  // True: no thread is running tasks, so the caller must schedule run_next(). `session` may be
  // null: the agent itself.
  bool push(const SessionPtr& session, Task task);

  // Call after a session has room again. True: a task can run and no thread is running tasks.
  bool resume();

  // Runs the next task. False: no task can run, and this thread stops running tasks.
  bool run_next();

  // Drops all tasks.
  void clear();

 private:
  struct Line {
    SessionPtr session;
    std::deque<Task> tasks;
    Clock::duration used{};
  };
  using Lines = std::map<std::uint64_t, Line>;

  Lines::iterator next();

  std::mutex mutex_;
  // Of sessions with queued tasks, or, while tasks run, with more than the minimum used.
  Lines lines_;
  Clock::duration least_used_{};  // lane time of the session that ran last: the minimum
  bool taking_ = false;
};

}  // namespace ddm
