#include "time/cpu_sampler.h"

#include <time.h>

#include <algorithm>
#include <exception>
#include <random>

#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kStopPatience{2};  // for a look that is going on

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

std::string CpuSampler::start(JNIEnv* jni, const StackNaming& naming, Settings settings) {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_ == settings) return "";
  }
  stop();
  const std::lock_guard switching(switching_);
  if (!ran_threads_) {
    const auto fields = ThreadFields::find(jvmti_, jni);
    if (!fields) return "java.lang.Thread is not as expected";
    ran_threads_ = std::make_unique<RanThreads>(jvmti_, *fields);
    ran_.store(ran_threads_.get(), std::memory_order_release);
  }
  const std::string error = thread_.start(jni);
  if (!error.empty()) return error;
  const std::lock_guard lock(mutex_);
  if (running_) return "the former sampler has not come to its end";
  std::shared_ptr<Traces> traces = Traces::create(kTraces, kMaxDepth);
  if (!traces) return "no memory for stacks";
  traces_ = std::move(traces);
  naming_.emplace(naming);
  counts_.clear();
  figures_.emplace();
  figures_->asked_ns = settings.interval_ms * 1'000'000;
  figures_->budget = settings.budget;
  wanted_ = settings;
  running_ = thread_.post([this, settings](JNIEnv* on_thread) { run(on_thread, settings); });
  return running_ ? "" : "the program is ending";
}

void CpuSampler::stop() {
  const std::lock_guard switching(switching_);
  std::unique_lock lock(mutex_);
  wanted_.reset();
  changed_.notify_all();
  changed_.wait_for(lock, kStopPatience, [this] { return !running_; });
}

void CpuSampler::close() {
  {
    const std::lock_guard lock(mutex_);
    wanted_.reset();
    changed_.notify_all();
  }
  thread_.stop(std::chrono::milliseconds(100));
}

void CpuSampler::run(JNIEnv* jni, Settings settings) {
  const std::int64_t unit_ns = settings.interval_ms * 1'000'000;
  SamplingPace pace(unit_ns, settings.budget);
  std::minstd_rand random(static_cast<std::uint32_t>(clock_ns(CLOCK_MONOTONIC)));
  mounted_.open(jni);
  calibrate(jni);
  const std::int64_t begun = clock_ns(CLOCK_MONOTONIC);
  std::int64_t last = begun, cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  auto due = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (wanted_) {
    due += std::chrono::nanoseconds(pace.pause_ns(static_cast<std::uint32_t>(random() << 1)));
    if (changed_.wait_until(lock, due, [this] { return !wanted_; })) break;
    lock.unlock();
    // What was missed is not made up for, or looks would follow each other without a pause.
    due = std::max(due, std::chrono::steady_clock::now() - std::chrono::nanoseconds(unit_ns));
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    others_cost_ns_ = 0;
    try {
      look(jni, unit_ns, now);
    } catch (const std::exception& failure) {
      log_debug("sampling: {}", failure.what());  // no memory: one look is lost
    }
    const std::int64_t cpu_now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    pace.looked(cpu_now - cpu + others_cost_ns_);
    lock.lock();
    SamplerFigures& figures = *figures_;
    ++figures.looks;
    figures.longest_ns = std::max(figures.longest_ns, now - last);
    figures.on_ns = now - begun;
    figures.mean_ns = figures.on_ns / figures.looks;
    figures.own_ns += cpu_now - cpu;
    figures.others_ns += others_cost_ns_;
    figures.missed_ns = ran_threads_->unsaid_ns();
    last = now;
    cpu = cpu_now;
  }
  lock.unlock();
  ran_threads_->clear(jni);
  mounted_.close();
  lock.lock();
  running_ = false;
  changed_.notify_all();
}

std::int64_t CpuSampler::cost_ns() {
  const std::lock_guard lock(mutex_);
  return figures_ ? figures_->own_ns + figures_->others_ns : 0;
}

// What a stack costs the thread that stops for it cannot be seen from here. It is reckoned from
// what GetStackTrace takes for this thread, whose stack has hardly a frame: four times as much for
// stopping and going on, which is a guess on the safe side, and a quarter for each frame, which is
// what 16 frames cost more than one.
void CpuSampler::calibrate(JNIEnv*) {
  constexpr int kTries = 16;
  jvmtiFrameInfo frames[4];
  jint count = 0;
  std::int64_t least = 10'000;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = clock_ns(CLOCK_MONOTONIC);
    jvmti_->GetStackTrace(nullptr, 0, 4, frames, &count);
    least = std::min(least, clock_ns(CLOCK_MONOTONIC) - before);
  }
  stack_cost_ns_ = 4 * least;
  frame_cost_ns_ = least / 4;
}

void CpuSampler::look(JNIEnv* jni, std::int64_t unit_ns, std::int64_t now_ns) {
  for (RanThread* thread : ran_threads_->look(jni, now_ns, unit_ns)) {
    const std::int64_t count = thread->unsaid_ns / unit_ns;
    if (count == 0) continue;
    take(jni, *thread, count, unit_ns, now_ns);
  }
}

void CpuSampler::take(JNIEnv* jni, RanThread& thread, std::int64_t count, std::int64_t unit_ns,
                      std::int64_t now_ns) {
  jvmtiFrameInfo raw[kRawFrames];
  jint frames = 0;
  const LocalRef<jthread> mounted(jni, thread.carrier ? mounted_.on(thread.thread) : nullptr);
  const jthread asked = mounted ? mounted.get() : thread.thread;
  const jvmtiError error = jvmti_->GetStackTrace(asked, 0, kRawFrames, raw, &frames);
  others_cost_ns_ += stack_cost_ns_ + frames * frame_cost_ns_;
  if (error != JVMTI_ERROR_NONE) {
    const std::lock_guard lock(mutex_);
    ++figures_->failed[jvmti_error_name(error)];
    return;
  }
  // One that runs has used some CPU since, if only to stop and go on.
  if (RanThreads::clock_of(thread.os_id) <= thread.clock_ns) {
    const std::lock_guard lock(mutex_);
    ++figures_->waiting;
    return;
  }
  {
    const Reclamation::Reading reading(naming_->reclamation);
    ShownStack stack(TopFrames::kTracker, kMaxDepth + 1, kMaxDepth);
    for (jint i = 0; i < frames; ++i) {
      if (!stack.add(naming_->frames.shown(jni, {raw[i].method, raw[i].location}, 0))) break;
    }
    const TraceNumber trace = traces_->number_of(stack.hash(), stack.frames());
    if (mounted) {
      const std::string name = ran_threads_->name_of(jni, mounted.get());
      counts_.add(name.empty() ? "(virtual thread)" : name, trace, count);
    } else {
      counts_.add(ran_threads_->name_of(jni, thread, now_ns), trace, count);
    }
  }
  thread.unsaid_ns -= count * unit_ns;
  const std::lock_guard lock(mutex_);
  ++figures_->stacks;
}

void CpuSampler::add_to(TimeData& data) {
  const std::lock_guard lock(mutex_);
  if (!figures_) return;
  data.sampler = figures_;
  data.samples = counts_.read(*traces_);
}

void CpuSampler::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  if (traces_) traces_->add_names(used);
}

}  // namespace ddm
