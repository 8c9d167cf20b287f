// The requests that wait for one lane, so that no server has to wait for all that another one asks:
// each session's tasks keep their order, and the next one is always a task of the session that has
// used the lane least. Who was away has no claim to what others used meanwhile. A session that has
// no room for answers is passed over until it reads.
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

  // True: nobody is taking, so somebody has to begin to. `session` may be null: the agent itself.
  bool push(const SessionPtr& session, Task task);

  // True: there is something to be taken and nobody does; after a session has got room.
  bool resume();

  // Runs the next task. False: there was none that may run, and taking is over.
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
  Lines lines_;  // of sessions whose tasks wait, or that have used more than others
  Clock::duration least_used_{};  // by who was last in turn
  bool taking_ = false;
};

}  // namespace ddm
