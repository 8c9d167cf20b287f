#include "ddm/fair_queue.h"

#include <utility>

namespace ddm {

bool FairQueue::push(std::uint64_t session, Task task) {
  const std::lock_guard lock(mutex_);
  const bool first = turns_.empty();
  std::deque<Task>& own = tasks_[session];
  own.push_back(std::move(task));
  if (own.size() == 1) turns_.push_back(session);
  return first;
}

FairQueue::Task FairQueue::take(bool& more) {
  const std::lock_guard lock(mutex_);
  more = false;
  if (turns_.empty()) return nullptr;
  const std::uint64_t session = turns_.front();
  turns_.pop_front();
  const auto own = tasks_.find(session);
  Task task = std::move(own->second.front());
  own->second.pop_front();
  if (own->second.empty()) {
    tasks_.erase(own);
  } else {
    turns_.push_back(session);
  }
  more = !turns_.empty();
  return task;
}

void FairQueue::clear() {
  std::unordered_map<std::uint64_t, std::deque<Task>> dropped;  // freed outside the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(tasks_);
  turns_.clear();
}

}  // namespace ddm
