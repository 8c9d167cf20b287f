#include "time/cpu_sampler.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/clocks.h"
#include "core/log.h"
#include "vm/id_creation.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kStopPatience{2};  // for a round in progress

}  // namespace

std::string CpuSampler::prepare(JNIEnv* jni, const StackNaming& naming) {
  if (!ran_threads_) {
    const auto fields = ThreadFields::find(jvmti_, jni);
    if (!fields) return "java.lang.Thread is not as expected";
    ran_threads_ = std::make_unique<RanThreads>(jvmti_, *fields);
    ran_.store(ran_threads_.get(), std::memory_order_release);
  }
  if (!naming_) naming_.emplace(naming);
  return thread_.start(jni, *this);
}

std::string CpuSampler::start(JNIEnv* jni, const StackNaming& naming, Settings settings) {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_ == settings) return "";
  }
  if (!stop()) return "the former sampler has not come to its end";
  const std::lock_guard switching(switching_);
  if (const std::string error = prepare(jni, naming); !error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<CallTree> traces = CallTree::create(kTraces, kMaxTreeDepth);
    if (!traces) return "no memory for stacks";
    traces_ = std::move(traces);
    counts_.clear();
    has_results_ = true;
    figures_.emplace();
    figures_->wall = settings.wall;
    figures_->requested_ns = settings.interval_ms * 1'000'000;
    figures_->budget = thread_.budget();
    begun_ns_ = 0;
    wanted_ = settings;
    ++starts_;
  }
  thread_.hasten(*this);
  return "";
}

// Waits until no round for an ended purpose is in progress. False: timed out.
bool CpuSampler::await_round() {
  std::unique_lock lock(mutex_);
  if (!wanted_ && !trace_) {
    lock.unlock();
    return thread_.stop(*this);
  }
  return changed_.wait_for(lock, kStopPatience, [this] { return !in_round_; });
}

bool CpuSampler::stop() {
  const std::lock_guard switching(switching_);
  {
    const std::lock_guard lock(mutex_);
    was_on_until(monotonic_ns());
    wanted_.reset();
  }
  return await_round();
}

// `figures_` stays: a round that did not end in time still counts in it.
void CpuSampler::discard() {
  const std::lock_guard switching(switching_);
  const std::lock_guard lock(mutex_);
  if (wanted_) return;
  counts_.clear();
  has_results_ = false;
}

std::string CpuSampler::start_trace(JNIEnv* jni, const StackNaming& naming,
                                    std::shared_ptr<SampleTrace> trace) {
  const std::lock_guard switching(switching_);
  if (const std::string error = prepare(jni, naming); !error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    if (trace_) return "the program is being sampled already";
    trace_ = std::move(trace);
    is_tracing_ = true;
  }
  thread_.hasten(*this);
  return "";
}

Result<TraceFile> CpuSampler::stop_trace() {
  const std::lock_guard switching(switching_);
  std::shared_ptr<SampleTrace> trace;
  {
    const std::lock_guard lock(mutex_);
    trace = std::exchange(trace_, nullptr);
    is_tracing_ = false;
  }
  if (!trace) return Error{"the program is not being sampled; SPSS starts it"};
  if (!await_round()) return Error{"the sampler does not come to its end"};
  return trace->finish(monotonic_ns());
}

// Lock held.
CpuSampler::Round CpuSampler::wanted_round() const {
  if (!wanted_ && !trace_) return {};
  Round round;
  round.trace = trace_;
  round.start = starts_;
  if (wanted_) {
    round.traces = traces_;
    round.unit_ns = round.interval_ns = wanted_->interval_ms * 1'000'000;
    round.delay = wanted_->delay;
    round.wall = wanted_->wall;
  }
  if (trace_) {
    const std::int64_t interval = trace_->interval_ns();
    round.interval_ns = wanted_ ? std::min(round.interval_ns, interval) : interval;
  }
  return round;
}

Sampler::Clock::time_point CpuSampler::begin(JNIEnv* jni) {
  random_.seed(static_cast<std::uint32_t>(monotonic_ns()));
  mounted_.open(jni);
  cost_.begin();
  pace_.reset();
  return Clock::now();
}

void CpuSampler::end(JNIEnv* jni) {
  ran_threads_->clear(jni);
  mounted_.close();
  cost_.end();
}

// True: the settings have changed, and the first pause begins.
bool CpuSampler::adopt(JNIEnv* jni, const Round& wanted, std::int64_t budget) {
  const bool same_pace =
      pace_ && pace_->requested_ns() == wanted.interval_ns && pace_->budget() == budget;
  if (same_pace && start_ == wanted.start) return false;
  if (!same_pace) pace_.emplace(wanted.interval_ns, budget);
  if (std::exchange(start_, wanted.start) != wanted.start) {
    ran_threads_->clear(jni);
    const std::lock_guard lock(mutex_);
    begun_ns_ = last_ns_ = monotonic_ns();
  }
  due_ = Clock::now();
  return true;
}

Sampler::Clock::time_point CpuSampler::sample(JNIEnv* jni, const Turn& turn) {
  Round wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted = wanted_round();
    in_round_ = wanted.any();
  }
  // Between stop and end, or before start.
  if (!wanted.any()) return Clock::now() + std::chrono::hours(1);
  const bool is_new = adopt(jni, wanted, turn.budget);
  if (!is_new) {
    // Missed rounds are dropped, otherwise rounds would follow each other without a pause.
    due_ = std::max(due_, Clock::now() - std::chrono::nanoseconds(wanted.interval_ns));
    const std::int64_t now = monotonic_ns();
    others_cost_ns_ = 0;
    try {
      sample_threads(jni, wanted, now);
    } catch (const std::exception& failure) {
      log_debug("sampling: {}", failure.what());  // no memory: one round is lost
    }
    others_cost_ns_ += cost_.switched();
    const std::int64_t own_ns = cpu_of_this_thread_ns() - turn.cpu_from_ns;
    pace_->add_round(own_ns + others_cost_ns_);
    pace_->set_others_percent(turn.others_percent);
    thread_.spend(own_ns + others_cost_ns_);
    note(now, own_ns, turn.budget);
    last_ns_ = now;
  }
  const auto random = static_cast<std::uint32_t>(random_() << 1);
  due_ += std::chrono::nanoseconds(pace_->pause_ns(random, wanted.delay));
  wanted = {};  // a trace stopped meanwhile belongs to the stopping thread alone
  const std::lock_guard lock(mutex_);
  in_round_ = false;
  changed_.notify_all();
  return due_;
}

// Records the figures of a round.
void CpuSampler::note(std::int64_t now_ns, std::int64_t own_ns, std::int64_t budget) {
  const std::lock_guard lock(mutex_);
  if (!wanted_) return;
  SamplerFigures& figures = *figures_;
  ++figures.rounds;
  figures.budget = budget;
  figures.longest_ns = std::max(figures.longest_ns, now_ns - last_ns_);
  was_on_until(now_ns);
  figures.own_ns += own_ns;
  figures.others_ns += others_cost_ns_;
  // Head starts may have made a sample of what was not yet used.
  figures.missed_ns = std::max<std::int64_t>(ran_threads_->unattributed_ns(), 0);
}

// Lock held.
void CpuSampler::was_on_until(std::int64_t now_ns) {
  if (!wanted_ || figures_->rounds == 0) return;
  figures_->on_ns = now_ns - begun_ns_;
  figures_->mean_ns = figures_->on_ns / figures_->rounds;
}

void CpuSampler::sample_threads(JNIEnv* jni, const Round& wanted, std::int64_t now_ns) {
  const std::int64_t unit_ns = wanted.unit_ns != 0 ? wanted.unit_ns : wanted.interval_ns;
  const std::vector<RanThread*>& ran = ran_threads_->poll(
      jni, now_ns, unit_ns, wanted.wall ? &counts_ : nullptr, wanted.trace != nullptr);
  cost_.begin_round(ran.size());
  if (wanted.trace) wanted.trace->begin_round();
  for (RanThread* thread : wanted.wall ? ran_threads_->checked() : ran) {
    const std::int64_t count = wanted.unit_ns != 0 ? thread->unattributed_ns / unit_ns : 0;
    if (wanted.wall && thread->waiting.is_counted()) continue;
    const bool is_due = count != 0 || (wanted.wall && thread->waiting.is_due());
    if (!is_due && !wanted.trace) continue;
    if (ran_threads_->should_take_stack(*thread, wanted.trace != nullptr || wanted.wall)) {
      take(jni, *thread, count, wanted, now_ns);
    }
  }
}

void CpuSampler::take(JNIEnv* jni, RanThread& thread, std::int64_t count, const Round& wanted,
                      std::int64_t now_ns) {
  raw_.resize(static_cast<std::size_t>(wanted.trace ? kTraceFrames : kRawFrames));
  jint frames = 0;
  const LocalRef<jthread> mounted(jni, thread.carrier ? mounted_.on(thread.thread) : nullptr);
  const jthread asked = mounted ? mounted.get() : thread.thread;
  const std::int64_t before_ns = cpu_of_thread_ns(thread.os_id);
  jvmtiError error = JVMTI_ERROR_NONE;
  {
    const auto turn = id_creation::turn(jvmti_);
    error = jvmti_->GetStackTrace(asked, 0, static_cast<jint>(raw_.size()), raw_.data(), &frames);
  }
  const std::int64_t used_ns = cpu_of_thread_ns(thread.os_id) - before_ns;
  others_cost_ns_ += cost_.stopped(used_ns);
  // The thread has ended since it was listed.
  if (error == JVMTI_ERROR_THREAD_NOT_ALIVE) return;
  if (error != JVMTI_ERROR_NONE) {
    const std::lock_guard lock(mutex_);
    if (wanted_) ++figures_->failed[jvmti_error_name(error)];
    return;
  }
  const Reclamation::Reading reading;
  ShownStack stack(TopFrames::kTracker, kMaxTreeDepth + 1);
  frames_.clear();
  bool wanting = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames) && (wanting || wanted.trace); ++i) {
    const ShownFrame shown = naming_->frames.shown(jni, {raw_[i].method, raw_[i].location}, 0);
    if (wanting) wanting = stack.add(shown);
    const bool programs = shown.role() != ShownRole::kHidden && shown.role() != ShownRole::kTracker;
    if (wanted.trace && programs) frames_.push_back(shown.frame());
  }
  std::string name = mounted ? ran_threads_->name_of(jni, mounted.get())
                             : ran_threads_->name_of(jni, thread, now_ns);
  if (mounted && name.empty()) name = "(virtual thread)";
  if (wanted.trace) {
    wanted.trace->add(mounted ? ran_threads_->id_of(jni, mounted.get()) : thread.id, name,
                      mounted ? 0 : thread.os_id, frames_, now_ns, mounted ? 0 : thread.clock_ns);
  }
  if (count == 0 && !wanted.wall) return;
  // A running thread uses some CPU meanwhile, if only to stop and continue.
  const bool ran = used_ns > 0;
  if (wanted.wall ? ran && !thread.running && !thread.queued : !ran) {
    // It began to wait just now; or it waited, and no longer does.
    const std::lock_guard lock(mutex_);
    ++figures_->waiting;
    return;
  }
  const TraceNumber where = wanted.traces->number_of(stack.frames());
  if (wanted.wall && !ran && !thread.queued) {
    thread.waiting.found_waiting(name, where, counts_);
  } else {
    if (count != 0) counts_.add(name, where, count);
    thread.unattributed_ns -= count * wanted.unit_ns;
    if (wanted.wall) thread.waiting.found_running(counts_);
  }
  const std::lock_guard lock(mutex_);
  ++figures_->stacks;
}

void CpuSampler::add_to(TimeData& data) {
  const std::lock_guard lock(mutex_);
  if (!has_results_) return;
  was_on_until(monotonic_ns());
  data.sampler = figures_;
  data.samples = counts_.read(*traces_);
}

void CpuSampler::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  if (traces_) traces_->add_names(used);
}

}  // namespace ddm
