#include "time/cpu_sampler.h"

#include <time.h>

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

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

std::string CpuSampler::prepare(JNIEnv* jni, const StackNaming& naming) {
  if (!ran_threads_) {
    const auto fields = ThreadFields::find(jvmti_, jni);
    if (!fields) return "java.lang.Thread is not as expected";
    ran_threads_ = std::make_unique<RanThreads>(jvmti_, *fields);
    ran_.store(ran_threads_.get(), std::memory_order_release);
  }
  if (!naming_) naming_.emplace(naming);
  return thread_.start(jni);
}

// Lock held.
std::string CpuSampler::begin_running() {
  if (running_) {
    changed_.notify_all();
    return "";
  }
  running_ = thread_.post([this](JNIEnv* on_thread) { run(on_thread); });
  return running_ ? "" : "the program is ending";
}

std::string CpuSampler::start(JNIEnv* jni, const StackNaming& naming, Settings settings) {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_ == settings) return "";
  }
  stop();
  const std::lock_guard switching(switching_);
  if (const std::string error = prepare(jni, naming); !error.empty()) return error;
  const std::lock_guard lock(mutex_);
  if (running_ && !trace_) return "the former sampler has not come to its end";
  std::shared_ptr<Traces> traces = Traces::create(kTraces, kMaxDepth);
  if (!traces) return "no memory for stacks";
  traces_ = std::move(traces);
  counts_.clear();
  figures_.emplace();
  figures_->asked_ns = settings.interval_ms * 1'000'000;
  figures_->budget = settings.budget;
  begun_ns_ = 0;
  wanted_ = settings;
  ++starts_;
  const std::string error = begin_running();
  if (!error.empty()) wanted_.reset();
  return error;
}

void CpuSampler::stop() {
  const std::lock_guard switching(switching_);
  std::unique_lock lock(mutex_);
  wanted_.reset();
  changed_.notify_all();
  changed_.wait_for(lock, kStopPatience, [this] { return trace_ ? !looking_ : !running_; });
}

std::string CpuSampler::start_trace(JNIEnv* jni, const StackNaming& naming,
                                    std::shared_ptr<SampleTrace> trace, std::int64_t budget) {
  const std::lock_guard switching(switching_);
  if (const std::string error = prepare(jni, naming); !error.empty()) return error;
  const std::lock_guard lock(mutex_);
  if (trace_) return "the program is being sampled already";
  if (running_ && !wanted_) return "the former sampler has not come to its end";
  trace_ = std::move(trace);
  trace_budget_ = budget;
  const std::string error = begin_running();
  if (!error.empty()) trace_.reset();
  return error;
}

bool CpuSampler::tracing() {
  const std::lock_guard lock(mutex_);
  return trace_ != nullptr;
}

Result<MethodTrace> CpuSampler::stop_trace() {
  const std::lock_guard switching(switching_);
  std::unique_lock lock(mutex_);
  if (!trace_) return Error{"the program is not being sampled; SPSS starts it"};
  const std::shared_ptr<SampleTrace> trace = std::exchange(trace_, nullptr);
  changed_.notify_all();
  if (!changed_.wait_for(lock, kStopPatience,
                         [this] { return wanted_ ? !looking_ : !running_; })) {
    return Error{"the sampler does not come to its end"};
  }
  return trace->finish(clock_ns(CLOCK_MONOTONIC));
}

void CpuSampler::close() {
  {
    const std::lock_guard lock(mutex_);
    wanted_.reset();
    trace_.reset();
    changed_.notify_all();
  }
  thread_.stop(std::chrono::milliseconds(100));
}

// None: nothing is wanted any more. Lock held.
std::optional<CpuSampler::Look> CpuSampler::wanted_look() const {
  if (!wanted_ && !trace_) return {};
  Look look;
  look.trace = trace_;
  look.start = starts_;
  if (wanted_) {
    look.traces = traces_;
    look.unit_ns = look.interval_ns = wanted_->interval_ms * 1'000'000;
    look.budget = wanted_->budget;
    look.delay = wanted_->delay;
  }
  if (trace_) {
    const std::int64_t interval = trace_->interval_ns();
    look.interval_ns = wanted_ ? std::min(look.interval_ns, interval) : interval;
    look.budget = wanted_ ? look.budget : trace_budget_;
  }
  return look;
}

void CpuSampler::run(JNIEnv* jni) {
  std::optional<SamplingPace> pace;
  std::minstd_rand random(static_cast<std::uint32_t>(clock_ns(CLOCK_MONOTONIC)));
  mounted_.open(jni);
  calibrate(jni);
  std::int64_t last = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  std::uint32_t start = 0;
  auto due = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (auto wanted = wanted_look()) {
    if (!pace || pace->asked_ns() != wanted->interval_ns) {
      pace.emplace(wanted->interval_ns, wanted->budget);
    }
    if (start != wanted->start) {
      start = wanted->start;
      ran_threads_->clear(jni);
      begun_ns_ = last = clock_ns(CLOCK_MONOTONIC);
    }
    due += std::chrono::nanoseconds(
        pace->pause_ns(static_cast<std::uint32_t>(random() << 1), wanted->delay));
    const auto changed = [&] {
      return starts_ != wanted->start || trace_ != wanted->trace ||
             wanted_.has_value() != (wanted->unit_ns != 0);
    };
    if (changed_.wait_until(lock, due, changed)) continue;
    looking_ = true;
    lock.unlock();
    // What was missed is not made up for, or looks would follow each other without a pause.
    due = std::max(due, std::chrono::steady_clock::now() -
                            std::chrono::nanoseconds(wanted->interval_ns));
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    others_cost_ns_ = 0;
    try {
      look(jni, *wanted, now);
    } catch (const std::exception& failure) {
      log_debug("sampling: {}", failure.what());  // no memory: one look is lost
    }
    const std::int64_t cpu_now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    pace->looked(cpu_now - cpu + others_cost_ns_);
    pace->leave_to_others(probes_percent_.load(std::memory_order_relaxed));
    spent_ns_.fetch_add(cpu_now - cpu + others_cost_ns_, std::memory_order_relaxed);
    wanted.reset();
    lock.lock();
    note(now, now - last, cpu_now - cpu);
    looking_ = false;
    changed_.notify_all();
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

// One look is over. Lock held.
void CpuSampler::note(std::int64_t now_ns, std::int64_t pause_ns, std::int64_t own_ns) {
  if (!wanted_) return;
  SamplerFigures& figures = *figures_;
  ++figures.looks;
  figures.longest_ns = std::max(figures.longest_ns, pause_ns);
  figures.on_ns = now_ns - begun_ns_;
  figures.mean_ns = figures.on_ns / figures.looks;
  figures.own_ns += own_ns;
  figures.others_ns += others_cost_ns_;
  figures.missed_ns = ran_threads_->unsaid_ns();
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

void CpuSampler::look(JNIEnv* jni, const Look& wanted, std::int64_t now_ns) {
  const std::int64_t unit_ns = wanted.unit_ns != 0 ? wanted.unit_ns : wanted.interval_ns;
  for (RanThread* thread : ran_threads_->look(jni, now_ns, unit_ns)) {
    const std::int64_t count = wanted.unit_ns != 0 ? thread->unsaid_ns / unit_ns : 0;
    if (count == 0 && !wanted.trace) continue;
    take(jni, *thread, count, wanted, now_ns);
  }
}

void CpuSampler::fail(const char* reason) {
  const std::lock_guard lock(mutex_);
  if (figures_) ++figures_->failed[reason];
}

void CpuSampler::take(JNIEnv* jni, RanThread& thread, std::int64_t count, const Look& wanted,
                      std::int64_t now_ns) {
  raw_.resize(static_cast<std::size_t>(wanted.trace ? kTraceFrames : kRawFrames));
  jint frames = 0;
  const LocalRef<jthread> mounted(jni, thread.carrier ? mounted_.on(thread.thread) : nullptr);
  const jthread asked = mounted ? mounted.get() : thread.thread;
  const jvmtiError error = jvmti_->GetStackTrace(
      asked, 0, static_cast<jint>(raw_.size()), raw_.data(), &frames);
  others_cost_ns_ += stack_cost_ns_ + frames * frame_cost_ns_;
  if (error != JVMTI_ERROR_NONE) return fail(jvmti_error_name(error));
  const Reclamation::Reading reading(naming_->reclamation);
  ShownStack stack(TopFrames::kTracker, kMaxDepth + 1, kMaxDepth);
  frames_.clear();
  bool wanting = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames) && (wanting || wanted.trace); ++i) {
    const ShownFrame shown = naming_->frames.shown(jni, {raw_[i].method, raw_[i].location}, 0);
    if (wanting) wanting = stack.add(shown);
    const bool programs =
        shown.role() != FrameRole::kHidden && shown.role() != FrameRole::kTracker;
    if (wanted.trace && programs) frames_.push_back(shown.frame());
  }
  std::string name = mounted ? ran_threads_->name_of(jni, mounted.get())
                             : ran_threads_->name_of(jni, thread, now_ns);
  if (mounted && name.empty()) name = "(virtual thread)";
  if (wanted.trace) {
    wanted.trace->add(mounted ? ran_threads_->id_of(jni, mounted.get()) : thread.id, name,
                      mounted ? 0 : thread.os_id, frames_, now_ns, mounted ? 0 : thread.clock_ns);
  }
  if (count == 0) return;
  // One that runs has used some CPU since, if only to stop and go on.
  if (RanThreads::clock_of(thread.os_id) <= thread.clock_ns) {
    const std::lock_guard lock(mutex_);
    ++figures_->waiting;
    return;
  }
  counts_.add(name, wanted.traces->number_of(stack.hash(), stack.frames()), count);
  thread.unsaid_ns -= count * wanted.unit_ns;
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
