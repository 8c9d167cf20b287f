#include "probes/side_thread.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/clocks.h"
#include "core/log.h"

namespace ddm {

struct SideThread::Running {
  std::mutex mutex;  // of what follows
  std::condition_variable ended;
  bool done = false;
  std::optional<clockid_t> clock;  // the thread's CPU, while the work goes on
  std::int64_t before_ns = 0;      // the thread's CPU when the work began
  std::int64_t used_ns = 0;        // by work that has ended

  void begin() {
    clockid_t own{};
    const std::lock_guard lock(mutex);
    if (pthread_getcpuclockid(pthread_self(), &own) != 0) return;
    before_ns = nanos_of(own);
    clock = own;
  }
  void end() {
    const std::lock_guard lock(mutex);
    done = true;
    used_ns = cpu_ns();
    clock.reset();
    ended.notify_all();
  }
  // Lock held.
  std::int64_t cpu_ns() const { return clock ? nanos_of(*clock) - before_ns : used_ns; }
};

bool SideThread::idle() const {
  if (!last_) return true;
  const std::lock_guard lock(last_->mutex);
  return last_->done;
}

std::int64_t SideThread::cpu_ns() const {
  if (!last_) return earlier_ns_;
  const std::lock_guard lock(last_->mutex);
  return earlier_ns_ + last_->cpu_ns();
}

SideThread::Outcome SideThread::run(JNIEnv* jni, std::function<void(JNIEnv*)> work) {
  constexpr int kStandsStill = 100;  // stalled: it has used less than 1/100 of the time as CPU
  if (!idle()) return Outcome::kBusy;
  const auto running = std::make_shared<Running>();
  const std::string error =
      thread_.run_soon(jni, [running, work = std::move(work)](JNIEnv* on_thread) {
        running->begin();
        guarded("work aside", [&] { work(on_thread); });
        running->end();
      });
  if (!error.empty()) {
    if (!closing_) log_error("a thread cannot be started: {}", error);
    return Outcome::kCannot;
  }
  earlier_ns_ = cpu_ns();
  last_ = running;
  std::unique_lock lock(running->mutex);
  std::int64_t cpu_ns = 0;
  auto since = std::chrono::steady_clock::now();
  while (!running->ended.wait_for(lock, kGlance, [&] { return running->done; })) {
    if (closing_) return Outcome::kCannot;
    const auto now = std::chrono::steady_clock::now();
    if (now < since + patience_) continue;
    const std::int64_t more_ns = running->cpu_ns() - cpu_ns;
    if (std::chrono::nanoseconds(more_ns * kStandsStill) < now - since) return Outcome::kGoesOn;
    cpu_ns += more_ns;
    since = now;
  }
  return Outcome::kDone;
}

}  // namespace ddm
