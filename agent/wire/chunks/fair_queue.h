// The queue of one lane, fair between sessions: each session's tasks keep their order, and the next
// task is of the session that has used the lane least. A session that was idle starts at the
// current minimum and gets no credit, and when no task can run, what idle sessions have used is
// forgotten. A session whose send queue is full is skipped until it reads. The requests of a closed
// session are dropped, even while a task of another one is running.
//
// Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "wire/chunks/session.h"

namespace ddm {

class FairQueue {
 public:
  using Task = std::function<void()>;
  // Whether a task runs even if its session has been closed.
  enum class Kind { kRequest, kSwitch };
  using Clock = std::chrono::steady_clock;

  // True: no thread is running tasks, so the caller must schedule run_next(). `session` may be
  // null: the agent itself.
  bool push(const SessionPtr& session, Task task, Kind kind = Kind::kRequest);

  // The requests of closed sessions, which will not run. Where they are destroyed: a task may hold
  // files, whose closing may block, and references of JNI.
  std::vector<Task> take_dropped();

  // Call after a session has room again, or was closed. True: a task can run and no thread is
  // running tasks.
  bool resume();

  // Runs the next task. False: no task can run, and this thread stops running tasks.
  bool run_next();

  // Drops all tasks.
  void clear();

 private:
  struct Queued {
    Task task;
    Kind kind;
  };
  struct Line {
    SessionPtr session;
    std::deque<Queued> tasks;
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
