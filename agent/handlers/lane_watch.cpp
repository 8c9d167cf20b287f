#include "handlers/lane_watch.h"

#include <utility>

#include "handlers/native_thread.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGlanceAtLanes{300};
// Servers ask again after some seconds.
constexpr milliseconds kHeldUp{2200};

}  // namespace

void LaneWatch::start() {
  for (const Watched& lane : lanes_) {
    lane.thread->tell_of_posts([this] {
      const std::lock_guard lock(mutex_);
      if (std::exchange(posted_, true)) return;
      changed_.notify_all();
    });
  }
  thread_ = start_native_thread("ddm-lanes", [this] { watch(); });
}

void LaneWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void LaneWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (!posted_) {
      changed_.wait(lock);
      continue;
    }
    posted_ = false;
    changed_.wait_for(lock, kGlanceAtLanes, [this] { return stopped_; });
    if (stopped_) return;
    lock.unlock();
    bool again = false;
    for (const Watched& lane : lanes_) again |= look_at(lane);
    lock.lock();
    posted_ |= again;
  }
}

bool LaneWatch::look_at(const Watched& lane) {
  const AgentThread::Load load = lane.thread->load();
  if (load.waiting > kHeldUp || (lane.tasks_are_short && load.busy > kHeldUp)) lane.refuse();
  return load.waiting.count() > 0 || load.busy.count() > 0;
}

}  // namespace ddm
