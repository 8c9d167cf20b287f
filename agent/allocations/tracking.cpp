#include "allocations/tracking.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/clocks.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "vm/class_changes/class_archive.h"
#include "vm/jvmti_memory.h"
#include "vm/thread_fields.h"
#include "vm/vm_pause.h"

namespace ddm {
namespace {

// For threads inside record() when tracking is switched off.
constexpr std::chrono::seconds kRecorderPatience{1};

// For threads inside an event callback when tracking is switched off, where they stay for
// microseconds.
constexpr std::chrono::milliseconds kCallbackPatience{200};

// Capacity of a ring file for thread names besides those of its records.
constexpr std::size_t kThreadsBesideRing = 65536;
constexpr std::chrono::seconds kRingRefresh{1};  // of its summary

constexpr std::chrono::milliseconds kPollEvery{SiteTimes::kFirstStep};

std::int64_t steady_ms() { return monotonic_ns() / 1'000'000; }

// With a ring file, polls follow each other before half of the ring is overwritten: what the file's
// sites do not include yet is then among its records. `rounds`: of the ring since the last poll.
std::chrono::nanoseconds next_poll_after(std::chrono::nanoseconds last, double rounds) {
  static constexpr std::chrono::milliseconds kSoonest{2};
  const std::chrono::duration<double, std::nano> half_a_round = last * (0.5 / rounds);
  if (!(half_a_round <= kPollEvery)) return kPollEvery;  // nor if `rounds` is 0
  return std::max<std::chrono::nanoseconds>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(half_a_round), kSoonest);
}

}  // namespace

std::unique_ptr<Tracking> Tracking::create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts,
                                           Stacks& stacks) {
  const ThreadNames::Fields fields{thread_field(jni, "tid", "J"),
                                   thread_field(jni, "name", "Ljava/lang/String;")};
  LocalRef<jobject> current(jni, nullptr);
  if (fields.id == nullptr || fields.name == nullptr ||
      jvmti->GetCurrentThread(current.out()) != JVMTI_ERROR_NONE) {
    log_error("java.lang.Thread is not as expected; no allocation tracking in this VM");
    return nullptr;
  }
  auto allocated = AllocatedBytes::create(jni, current.get());
  if (!allocated) log_warn("this VM shows no allocated-bytes counters: unattributed is unknown");
  return std::unique_ptr<Tracking>(new Tracking(jvmti, jni, current.get(), fields,
                                                std::move(allocated), std::move(facts), stacks));
}

Tracking::Tracking(jvmtiEnv* jvmti, JNIEnv* jni, jobject current, const ThreadNames::Fields& fields,
                   std::optional<AllocatedBytes> allocated, VmFacts facts, Stacks& stacks)
    : jvmti_(jvmti),
      facts_(std::move(facts)),
      stacks_(stacks),
      books_(jvmti, fields.id, std::move(allocated)),
      thread_names_(jvmti, fields),
      current_thread_(jvmti, jni, current, fields.id, thread_names_),
      objects_(jvmti, stacks.names()),
      live_(jvmti, books_, stacks.reclamation()),
      scopes_(stacks.names()),
      recorder_(ring_, books_, current_thread_, objects_, stacks.methods(), live_, scopes_,
                stacks.reclamation()),
      vm_engine_(jvmti, recorder_, books_),
      bci_engine_(jvmti, recorder_, stacks.rewritten()) {
  recorder_.use_stacks(stacks.chosen());
  stacks.add_user(*this);
}

bool Tracking::use(JNIEnv* jni, const TrackingOptions& options) {
  const std::lock_guard lock(mutex_);
  options_.live = options.live;
  const bool at_once = !on_ || options == options_;
  options_ = options;
  stacks_.use(options.walker);
  if (on_) {
    follow_live(jni);
  } else if (options.live == 0) {
    live_.stop(jni, LiveObjects::Figures::kDrop);
  }
  return at_once;
}

void Tracking::follow_live(JNIEnv* jni) {
  not_followed_.clear();
  if (options_.live == live_now_) return;
  live_.stop(jni, LiveObjects::Figures::kDrop);
  live_now_ = options_.live;
  if (live_now_ == 0) return;
  if (sites_missing_.empty()) {
    const AllocationSampling sampling =
        engine_ == &vm_engine_ ? vm_engine_.sampling() : AllocationSampling();
    not_followed_ = live_.start(jni, sampling, live_now_);
  } else {
    not_followed_ = "live= needs sites, and " + sites_missing_;
  }
  if (not_followed_.empty()) return;
  live_now_ = 0;
  log_error("live objects are not followed: {}", not_followed_);
}

std::string Tracking::start(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (on_) return "";
  const AllocRing* ring = ring_.get();
  std::unique_ptr<AllocRing> fresh;
  if (ring_file_) {
    if (ring->capacity() != options_.records || ring->depth() != options_.depth) {
      log_error("the ring file stays as it was laid out: {} records of {} frames", ring->capacity(),
                ring->depth());
    }
  } else if (ring == nullptr || ring->capacity() != options_.records ||
             ring->depth() != options_.depth) {
    fresh = AllocRing::create(options_.records, options_.depth);
    if (!fresh) {
      return fmt::format("no memory for {} records of {} frames", options_.records, options_.depth);
    }
  }
  vm_engine_.set_interval(options_.interval);
  std::string error;
  Engine* const engine = prepare_engine(jni, error);
  if (engine == nullptr) return error;
  // From here on the figures of the previous run are gone.
  if (fresh) ring_.replace(std::move(fresh));
  ++period_;
  live_.stop(jni, LiveObjects::Figures::kDrop);
  scopes_.forget();
  renew_sites();
  recorder_.set_per_thread_sites(options_.per_thread_sites);
  ring_.get()->clear();
  find_stacks_of_records();
  recorder_.clear_dropped();
  recorder_.use_stacks(stacks_.ready(jni));
  objects_.watch(jni, stacks_.pauses());
  interval_ = engine == &vm_engine_ ? options_.interval : 0;
  engine_ = engine;
  books_.start(jni);
  live_now_ = 0;
  follow_live(jni);
  error = engine_->start(jni);
  if (!error.empty()) {
    books_.stop();
    live_.stop(jni, LiveObjects::Figures::kDrop);
    return error;
  }
  switch_recording(jni, true);
  started_ms_ = steady_ms();
  on_ = true;
  ever_on_ = true;
  start_polling();
  write_ring_facts();
  log_info("tracking on, engine={}, {} records of {} frames", engine_->name(),
           ring_.get()->capacity(), ring_.get()->depth());
  return "";
}

// The counters of the threads are read in the pause in which recording begins or ends: what a busy
// program allocates between these moments would count as unattributed.
void Tracking::switch_recording(JNIEnv* jni, bool on) {
  const auto switch_now = [&] {
    if (on) {
      books_.begin();
      recorder_.open();
    } else {
      recorder_.shut();
      books_.stop();
    }
  };
  const std::string error = run_in_pause(jvmti_, jni, [&] {
    if (on) engine_->begin_in_pause();
    switch_now();
  });
  if (error.empty()) return;
  log_info("tracking goes {} without a pause: {}", on ? "on" : "off", error);
  switch_now();
}

// The times of allocations, and the sites in a ring file, come from polls of the sites, so recording
// costs nothing for them. A poll takes longer with more sites; polls use a share of a processor on
// average, and may exceed that by kInAdvance of CPU time: a single costly poll (the first one takes
// 5 ms on a busy machine, usually 10 us) does not delay the next by a second without times.
void Tracking::start_polling() {
  using std::chrono::nanoseconds;
  static constexpr nanoseconds kInAdvance = std::chrono::milliseconds(20);
  if (!sites_missing_.empty()) return;
  const auto begin = Chores::Clock::now();
  const int rest_factor = ring_file_ ? 20 : 200;  // 5 % and 0.5 % of a processor
  poll_chore_ = Chores::of_process().add(
      [this, rest_factor, began = started_ms_, last = begin, debt = nanoseconds(),
       drawn = std::uint64_t{0}]() mutable -> std::optional<Chores::Clock::time_point> {
        const std::int64_t cpu_before = cpu_of_this_thread_ns();
        try {
          books_.poll_times(steady_ms() - began);
        } catch (const std::bad_alloc&) {
          return {};
        }
        const auto now = Chores::Clock::now();
        debt = std::max<nanoseconds>(debt - (now - last) / rest_factor, {}) +
               nanoseconds(cpu_of_this_thread_ns() - cpu_before);
        nanoseconds every = kPollEvery;
        if (ring_file_) {
          const AllocRing& ring = *ring_.get();
          const std::uint64_t before = std::exchange(drawn, ring.next_seq());
          every =
              next_poll_after(now - last, static_cast<double>(drawn - before) / ring.capacity());
        }
        last = now;
        return now + std::max<nanoseconds>(every, rest_factor * (debt - kInAdvance));
      },
      begin + kPollEvery);
}

void Tracking::renew_sites() {
  std::shared_ptr<Sites> sites;
  sites_missing_ = options_.sites > 0 ? "" : "sites=0 was given";
  if (options_.sites > 0) {
    sites = Sites::create(options_.sites, options_.sites_depth);
    if (!sites) {
      sites_missing_ = fmt::format("there was no memory for sites={}", options_.sites);
      log_error("{}; no sites are counted", sites_missing_);
    }
  }
  if (auto former = books_.use(std::move(sites))) {
    stacks_.reclamation().retire(std::move(former));
    stacks_.reclamation().wait_for_readers(kCallbackPatience);
  }
}

// Where the ring file has no room for the tree, each record stores its frames.
void Tracking::find_stacks_of_records() {
  std::shared_ptr<Sites> sites = books_.shared_sites();
  if (ring_file_ && !ring_file_->copy(sites)) sites = nullptr;
  ring_.get()->use(sites ? std::shared_ptr<CallTree>(sites, &sites->traces()) : nullptr);
}

std::string Tracking::prepare_hooks(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  // start() then uses the other engine, and logs it.
  return why_unchangeable().empty() ? bci_engine_.prepare(jni) : "";
}

Engine* Tracking::prepare_engine(JNIEnv* jni, std::string& error) {
  if (options_.engine == EngineKind::kVm) {
    error = vm_engine_.prepare(jni);
    if (error.empty()) return &vm_engine_;
    if (options_.engine_chosen || options_.interval > 0) return nullptr;
    log_warn("{}; so it is used", error);
  } else if (const std::string why = why_unchangeable(); !why.empty()) {
    error = vm_engine_.prepare(jni);
    if (!error.empty()) return nullptr;
    log_error("{}: engine=vm is used instead of bci", why);
    return &vm_engine_;
  }
  error = bci_engine_.prepare(jni);
  return error.empty() ? &bci_engine_ : nullptr;
}

std::string Tracking::stop(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!on_) return "";
  switch_recording(jni, false);
  const std::string error = engine_->stop(jni);
  if (!error.empty()) {
    books_.go_on();
    recorder_.open();
    return error;
  }
  if (!recorder_.pause(kRecorderPatience)) log_info("a thread is held up where it records");
  scopes_.forget();  // their figures would lack what is allocated from now on
  if (poll_chore_) Chores::of_process().end(std::exchange(poll_chore_, nullptr), /*wait=*/true);
  books_.poll_times(tracked_ms());
  live_.stop(jni, LiveObjects::Figures::kKeep);
  stopped_ms_ = steady_ms();
  on_ = false;
  write_ring_facts();
  log_info("tracking off");
  return "";
}

// The counters are read while events are still recorded: of what threads allocate from then on,
// what is seen is counted.
void Tracking::vm_halts() {
  halts_ = true;
  const std::unique_lock lock(mutex_, exit_limits::kCallbackLimit);
  const bool by_vm = lock && on_ && engine_ == &vm_engine_;
  if (by_vm) books_.stop();
  vm_engine_.end_events();
  if (!by_vm) return;
  recorder_.pause(exit_limits::kCallbackLimit);
  books_.add_seen_since();
}

void Tracking::vm_ends() {
  vm_ends_ = true;
  live_.vm_ends();
}

// Locked, so that the ring is not replaced meanwhile.
void Tracking::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  if (AllocRing* const ring = ring_.get()) {
    const RecordSet records = ring->snapshot();
    for (std::size_t i = 0; i < records.size(); ++i) {
      used.classes.insert(records[i].record.class_id);
      for (const Frame& frame : records[i].frames) used.methods.insert(frame.method);
    }
  }
  books_.add_names(used);
}

void Tracking::keep_in(std::unique_ptr<RingFile> file) {
  const std::lock_guard lock(mutex_);
  ring_file_ = std::move(file);
  ring_.replace(ring_file_->ring());
  ring_file_names_ = std::make_unique<RingNames>(ring_file_->names());
  stacks_.names().set_keeper(*ring_file_names_);
  AllocRing* const ring = ring_.get();  // not replaced any more
  thread_names_.keep_in(std::make_unique<RingThreadNames>(
      ring_file_->thread_names(), 2 * std::size_t{ring->capacity()} + kThreadsBesideRing,
      [ring] { return ring->snapshot().thread_ids(); }));
  write_ring_facts();
  Chores::of_process().add(
      [this]() -> std::optional<Chores::Clock::time_point> {
        if (closed_) return std::nullopt;
        refresh_ring_file();
        return Chores::Clock::now() + kRingRefresh;
      },
      Chores::Clock::now() + kRingRefresh);
}

std::optional<DumpSites> Tracking::hold(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Sites> sites = books_.shared_sites();
  if (!live_.on() || !sites) return std::nullopt;
  DumpSites held;
  held.stacks.traces = {sites, &sites->traces()};
  held.stacks.per_thread_sites = options_.per_thread_sites;
  held.stacks.names = &stacks_.names();
  held.stacks.names_held = stacks_.names().hold();
  live_.hold_strongly(jni, held.objects);
  return held;
}

std::int64_t Tracking::tracked_ms() const {
  if (!ever_on_) return 0;
  return (on_ ? steady_ms() : stopped_ms_) - started_ms_;
}

void Tracking::thread_started(JNIEnv* jni, jthread thread) {
  CurrentThread::forget();
  books_.thread_started(jni, thread);
}

void Tracking::thread_ending(JNIEnv* jni, jthread thread) {
  CurrentThread::forget();
  scopes_.thread_ended(current_thread_.id_of(jni, thread));
  books_.thread_ending(jni);
  if (on_) thread_names_.thread_ending(jni, thread);
}

std::string Tracking::why_none() const {
  if (live_.on()) return "";
  const std::lock_guard lock(mutex_);
  if (!not_followed_.empty()) return "what is alive is not followed: " + not_followed_;
  const std::string what = "what is alive is not followed: live= is off";
  if (on_) return what + "; `ddm attach PID live=y` switches it on";
  return what + ", and so is tracking; `ddm attach PID track=y,live=y` switches both on";
}

}  // namespace ddm
