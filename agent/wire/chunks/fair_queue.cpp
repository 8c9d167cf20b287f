#include "wire/chunks/fair_queue.h"

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

// What is left of a closed session comes first: it ends at once.
bool is_closed(const SessionPtr& session) { return session != nullptr && !session->is_open(); }

bool may_run(const SessionPtr& session) { return session == nullptr || session->has_room(); }

}  // namespace

bool FairQueue::push(const SessionPtr& session, Task task, Kind kind) {
  const std::lock_guard lock(mutex_);
  Line& line = lines_[session ? session->id() : 0];
  if (line.tasks.empty()) {
    line.session = session;
    line.used = std::max(line.used, least_used_);
  }
  line.tasks.push_back({std::move(task), kind});
  return !std::exchange(taking_, true);
}

std::vector<FairQueue::Task> FairQueue::take_dropped() {
  std::vector<Task> dropped;
  const std::lock_guard lock(mutex_);
  for (auto& [id, line] : lines_) {
    if (!is_closed(line.session)) continue;
    const auto requests =
        std::stable_partition(line.tasks.begin(), line.tasks.end(),
                              [](const Queued& one) { return one.kind != Kind::kRequest; });
    for (auto one = requests; one != line.tasks.end(); ++one) {
      dropped.push_back(std::move(one->task));
    }
    line.tasks.erase(requests, line.tasks.end());
    if (line.tasks.empty()) line.session.reset();
  }
  return dropped;
}

bool FairQueue::resume() {
  const std::lock_guard lock(mutex_);
  if (taking_) return false;
  taking_ = next() != lines_.end();
  return taking_;
}

FairQueue::Lines::iterator FairQueue::next() {
  auto best = lines_.end();
  for (auto line = lines_.begin(); line != lines_.end();) {
    if (line->second.tasks.empty() && line->second.used <= least_used_) {
      line = lines_.erase(line);  // no longer behind or ahead of the others
      continue;
    }
    if (!line->second.tasks.empty() && is_closed(line->second.session)) return line;
    const bool better = best == lines_.end() || line->second.used < best->second.used;
    if (!line->second.tasks.empty() && better && may_run(line->second.session)) best = line;
    ++line;
  }
  // While nobody can run, nobody is to be preferred to those whose tasks are done.
  if (best == lines_.end()) {
    std::erase_if(lines_, [](const auto& line) { return line.second.tasks.empty(); });
  }
  return best;
}

bool FairQueue::run_next() {
  Task task;
  std::uint64_t session = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto line = next();
    taking_ = line != lines_.end();
    if (!taking_) return false;
    session = line->first;
    line->second.used = least_used_ = std::max(least_used_, line->second.used);
    task = std::move(line->second.tasks.front().task);
    line->second.tasks.pop_front();
  }
  const auto begin = Clock::now();
  task();
  task = nullptr;
  const std::lock_guard lock(mutex_);
  const auto line = lines_.find(session);
  if (line != lines_.end()) {
    line->second.used += Clock::now() - begin;
    if (line->second.tasks.empty()) line->second.session.reset();
  }
  return true;
}

void FairQueue::clear() {
  Lines dropped;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(lines_);
  taking_ = false;
}

}  // namespace ddm
