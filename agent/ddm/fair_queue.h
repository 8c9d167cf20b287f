// The requests that wait for one lane, so that no server has to wait for all that another one asks:
// each session's tasks keep their order, and sessions take turns, one task each.
//
// Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace ddm {

class FairQueue {
 public:
  using Task = std::function<void()>;

  // True: nothing was waiting before, so somebody has to begin to take().
  bool push(std::uint64_t session, Task task);

  // The next task, empty when there is none; `more`: others wait behind it.
  Task take(bool& more);

  // Drops all tasks.
  void clear();

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::deque<Task>> tasks_;  // no empty deques
  std::deque<std::uint64_t> turns_;                            // each session in tasks_ once
};

}  // namespace ddm
