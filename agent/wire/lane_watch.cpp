#include "wire/lane_watch.h"

#include <algorithm>
#include <utility>

#include "core/clocks.h"
#include "core/native_thread.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCheckInterval{300};
// Real servers repeat a request after some seconds: this, a check interval and the lanes' answer
// together stay below three.
constexpr milliseconds kLate{2000};
constexpr milliseconds kAnswerTime{400};

// Percent of one processor: if the process uses less, no thread is working on a request.
constexpr int kWorkPercent = 20;

constexpr std::string_view kHeld =
    "a debugger holds threads of this program; ask again when it lets them go on";

}  // namespace

void LaneWatch::start() {
  for (const Watched& lane : lanes_) {
    lane.thread->set_post_listener([this] {
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
  {
    const std::lock_guard lock(answers_->mutex);
    answers_->stopped = true;
    answers_->changed.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void LaneWatch::add(std::weak_ptr<OpenRequest> request) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  open_.push_back({std::move(request), Clock::now()});
  if (open_.size() == 1) changed_.notify_all();
}

void LaneWatch::watch() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || posted_ || !open_.empty(); });
    posted_ = false;
    if (changed_.wait_for(lock, kCheckInterval, [this] { return stopped_; })) return;
    lock.unlock();
    const bool again = check_lanes();
    lock.lock();
    posted_ |= again;
  }
}

bool LaneWatch::check_lanes() {
  const Clock::time_point now = Clock::now();
  const std::int64_t cpu_ns = nanos_of(CLOCK_PROCESS_CPUTIME_ID);
  idle_ = std::chrono::nanoseconds((cpu_ns - std::exchange(cpu_ns_, cpu_ns)) * 100) <
          kWorkPercent * (now - std::exchange(cpu_at_, now));
  const auto late = late_requests(now);
  const bool stuck = std::ranges::any_of(lanes_, is_stuck);
  if ((!late.empty() || stuck) && debugger_holds()) {
    for (const auto& request : late) request->refuse(kHeld);
    for (const Watched& lane : lanes_) {
      if (is_stuck(lane)) lane.refuse();
    }
  }
  return std::ranges::any_of(lanes_, [](const Watched& lane) {
    const AgentThread::Load load = lane.thread->load();
    return load.waiting.count() > 0 || load.busy.count() > 0;
  });
}

bool LaneWatch::is_stuck(const Watched& lane) {
  const AgentThread::Load load = lane.thread->load();
  return load.waiting > kLate || (lane.tasks_are_short && load.busy > kLate);
}

std::vector<std::shared_ptr<OpenRequest>> LaneWatch::late_requests(Clock::time_point now) {
  std::vector<std::shared_ptr<OpenRequest>> late;
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](const Open& one) {
    auto request = one.request.lock();
    if (!request || request->answered()) return true;
    if (now - one.since > kLate) late.push_back(std::move(request));
    return false;
  });
  return late;
}

// If no lane answers, the debugger holds both.
bool LaneWatch::debugger_holds() {
  const auto seen = count_on_lanes();
  if (!seen) return true;
  return seen->own > 0 || (seen->program > 0 && idle_);
}

std::optional<SuspendedThreads> LaneWatch::count_on_lanes() {
  std::uint64_t number = 0;
  std::vector<std::size_t> free;
  {
    const std::lock_guard lock(answers_->mutex);
    number = ++answers_->asked;
    answers_->pending.resize(lanes_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!answers_->pending[i]) free.push_back(i);
      answers_->pending[i] = true;
    }
  }
  for (const std::size_t lane : free) {
    lanes_[lane].thread->post([answers = answers_, count = count_suspended_, lane](JNIEnv* jni) {
      std::uint64_t asked = 0;
      {
        const std::lock_guard lock(answers->mutex);
        answers->pending[lane] = false;
        asked = answers->asked;
      }
      const SuspendedThreads seen = count(jni);
      const std::lock_guard lock(answers->mutex);
      answers->answered = asked;
      answers->seen = seen;
      answers->changed.notify_all();
    });
  }
  std::unique_lock lock(answers_->mutex);
  const auto is_over = [&] { return answers_->stopped || answers_->answered >= number; };
  if (!answers_->changed.wait_for(lock, kAnswerTime, is_over)) return {};
  return answers_->stopped ? SuspendedThreads{} : answers_->seen;  // then nothing is refused
}

}  // namespace ddm
