#include "time/call_recorder.h"

#include <chrono>
#include <exception>
#include <utility>

#include "core/own_memory.h"
#include "core/thread_exit.h"
#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr std::int64_t kNobody = VirtualCalls::kNobody;
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

constinit thread_local CallRecorder::State* CallRecorder::t_state = nullptr;
constinit thread_local CallRecorder* CallRecorder::t_recorder = nullptr;

void CallRecorder::give_state_back() noexcept {
  State* const state = std::exchange(t_state, nullptr);
  if (state == nullptr) return;
  try {
    const std::lock_guard lock(t_recorder->mutex_);
    state->forget_thread();
    state->cpu = {};  // which never goes back: the next thread begins below what this one has used
    t_recorder->unused_.push_back(state);
  } catch (const std::exception&) {  // no memory: the state is not reused
  }
}

CallRecorder::CallRecorder(jvmtiEnv* jvmti, JNIEnv* jni, std::unique_ptr<CallPaths> paths,
                           const MethodNumbers& numbers)
    : jvmti_(jvmti), paths_(std::move(paths)), numbers_(numbers) {
  TickClock::calibrate();
  fields_ = ThreadFields::find(jvmti, jni);
  const LocalRef<jclass> virtual_class(jni, find_boot_class(jni, "java/lang/BaseVirtualThread"));
  if (virtual_class) {
    virtual_thread_ = static_cast<jclass>(jni->NewGlobalRef(virtual_class.get()));
  }
  LocalRef<jthread> current(jni, nullptr);
  if (jvmti_->GetCurrentThread(current.out()) != JVMTI_ERROR_NONE || !current) return;
  threads_ = VmThreads::create(jni, current.get());
  const auto offset = vm_structs::offset_of("JavaThread", "_monitor_owner_id");
  if (threads_ && offset && fields_) {
    word_offset_ = static_cast<std::uintptr_t>(*offset);
    by_word_ =
        read_own<std::int64_t>(threads_->of(jni) + word_offset_) == fields_->id(jni, current.get());
  }
}

void CallRecorder::listen(Wanted wanted) {
  const bool listened = session_.load(std::memory_order_relaxed) != nullptr;
  if (!listened) forget_open_calls();
  auto session = std::make_shared<Session>();
  session->wanted = std::move(wanted);
  if (!common_sums_ || common_sums_number_ != sums_number_) {
    common_sums_ = std::make_shared<CommonSums>();
    common_sums_number_ = sums_number_;
  }
  session->sums_number = sums_number_;
  // What is logged at its end is logged with its true begin.
  session->count_from = session->wanted.least == 0 ? sums_begin_ : 0;
  session->common_sums = common_sums_;
  session->number = ++sessions_;
  session->calls_number = calls_number_;
  const Wanted& all = session->wanted;
  const bool all_calls = all.log && all.log->usual() && !all.roots && all.least == 0;
  // Without a word for the id, a virtual thread is identified by its open calls.
  if (all_calls && !all.sums && !all.cpu && (virtual_thread_ == nullptr || by_word_)) {
    session->log_alone = all.log.get();
  }
  const bool alone = session->log_alone != nullptr;
  change_session(std::move(session));
  if (listened && alone) forget_open_calls();  // their ends will not be recorded
}

void CallRecorder::stop() { change_session(nullptr); }

void CallRecorder::forget_sums() {
  ++sums_number_;
  sums_begin_ = TickClock::now();
}

// The previous session's log may be large: freed now, unless a thread is inside a hook for long.
void CallRecorder::change_session(std::shared_ptr<const Session> session) {
  std::shared_ptr<const Session> before = std::exchange(session_held_, std::move(session));
  session_.store(session_held_.get(), std::memory_order_release);
  if (!before) return;
  reclamation_.retire(std::move(before));
  reclamation_.wait_for_readers(kPatience);
}

// The open calls are discarded without an end.
void CallRecorder::forget_open_calls() {
  ++calls_number_;
  const bool nobody_is_in = reclamation_.wait_for_readers(kPatience);
  virtual_calls_.forget_all(nobody_is_in);  // those that a thread is inside of are not reused
}

CallRecorder::State* CallRecorder::new_state(const Session& session) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    State* state = t_state;
    if (state == nullptr) {
      if (unused_.empty()) {
        states_.push_back(std::make_unique<State>());
        unused_.reserve(states_.size());
        state = states_.back().get();
      } else {
        state = unused_.back();
        unused_.pop_back();
      }
      state->place = &ReaderPlace::own();
      t_state = state;
      t_recorder = this;
      ThreadExit::call(give_state_back);  // before the place, which has called before
    }
    begin_session(*state, session);
    return state;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void CallRecorder::begin_session(State& state, const Session& session) {
  if (state.sums_number != session.sums_number || !state.sums) {
    state.sums = std::make_unique<MethodSums>(session.common_sums);
    state.unmatched.set(0);
    state.too_deep.set(0);
    state.sums_number = session.sums_number;
  }
  if (state.calls_number != session.calls_number) {
    state.forget_thread();
    state.calls_number = session.calls_number;
  }
  state.count_from = session.count_from;
  state.own.count_from(session.count_from);
  state.current_id = 0;  // those of a virtual thread when it is looked up
  state.log_thread = 0;
  state.log_alone = session.log_alone != nullptr;
  state.writer = {};
  state.session = session.number;
}

OpenCalls* CallRecorder::look_up_current(JNIEnv* jni, State& state, std::int64_t word) noexcept
    try {
  if (!fields_) return nullptr;
  LocalRef<jthread> thread(jni, nullptr);
  if (jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE || !thread) return nullptr;
  const std::int64_t id = fields_->id(jni, thread.get());
  if (word != kNobody && word != id) return nullptr;  // during a mount or unmount
  state.current_id = id;
  const OpenCalls* const before = std::exchange(state.current, nullptr);
  if (!jni->IsInstanceOf(thread.get(), virtual_thread_)) return state.current = &state.own;
  OpenCalls* const calls = virtual_calls_.of(id);
  if (calls != before) calls->carrier_cpu.remounted();
  calls->count_from(state.count_from);
  return state.current = calls;
} catch (const std::exception&) {  // no memory
  return nullptr;
}

// `now` is later afterwards if the clock was read: what an end waits for a processor then is the time
// of the call that has used up its turn, and not its caller's.
inline Ticks CallRecorder::cpu_of(const Session& session, State& state, OpenCalls& calls,
                                  Ticks& now) noexcept {
  if (!session.wanted.cpu) return 0;
  const Ticks of_system_thread = state.cpu.advance(now);
  return &calls == &state.own ? of_system_thread
                              : calls.carrier_cpu.at(&state, of_system_thread, now);
}

inline void CallRecorder::log(JNIEnv* jni, State& state, const Session& session,
                              MethodNumber method, CallAction action, Ticks now,
                              Ticks cpu) noexcept {
  CallLog& log = *session.wanted.log;
  const bool same = virtual_thread_ == nullptr || state.log_thread_id == state.current_id;
  if ((state.log_thread == 0 || !same) && !number_current(jni, state, log)) [[unlikely]] {
    return log.count_lost();
  }
  log.add(state.writer, {now, cpu, method, state.log_thread, action});
}

void CallRecorder::entered(JNIEnv* jni, MethodNumber method) noexcept {
  State* const state = t_state;
  if (state != nullptr && state->log_alone) return enter_log(jni, *state, method);
  enter(jni, state, method);
}

void CallRecorder::left(JNIEnv* jni, MethodNumber method, CallAction action) noexcept {
  const Ticks now = TickClock::now();  // the time from here on is not the method's
  State* const state = t_state;
  if (state != nullptr && state->log_alone) return leave_log(jni, *state, method, action, now);
  leave(jni, state, method, action, now);
}

void CallRecorder::enter_log(JNIEnv* jni, State& state, MethodNumber method) noexcept {
  const Reclamation::Reading reading(*state.place);
  const Session* const session = session_.load(std::memory_order_acquire);
  if (session == nullptr) return;
  if (state.session != session->number) return enter(jni, &state, method);
  CallLog& log = *session->log_alone;
  if (!numbered_for_log(jni, state, log)) return;
  log.add_usual(state.writer, TickClock::now(), method, state.log_thread, CallAction::kEnter);
}

void CallRecorder::leave_log(JNIEnv* jni, State& state, MethodNumber method, CallAction action,
                             Ticks now) noexcept {
  const Reclamation::Reading reading(*state.place);
  const Session* const session = session_.load(std::memory_order_acquire);
  if (session == nullptr) return;
  if (state.session != session->number) return leave(jni, &state, method, action, now);
  CallLog& log = *session->log_alone;
  if (!numbered_for_log(jni, state, log)) return;
  log.add_usual(state.writer, now, method, state.log_thread, action);
}

[[gnu::always_inline]] inline void CallRecorder::record_end(JNIEnv* jni, State& state,
                                                            const Session& session,
                                                            const OpenCalls::Ended& ended,
                                                            CallAction how, Ticks now,
                                                            Ticks cpu) noexcept {
  const Wanted& wanted = session.wanted;
  // A call entered before sums were wanted is counted in none.
  const bool counted = wanted.sums && ended.counted && ended.path != kNoPath;
  if (const auto at = counted ? state.sums->of(ended.path) : MethodSums::Place(); at.sum) {
    using Sum = MethodSums::Sum;
    if (how == CallAction::kThrow) at.add(&Sum::exceptions, 1);
    at.add(&Sum::self, ended.self);
    if (ended.outermost) {
      at.add(&Sum::total, ended.total);
      at.add(&Sum::cpu, ended.cpu);
    }
  }
  if (!wanted.log || (wanted.roots && !ended.below) || ended.total < wanted.least) return;
  if (!wanted.logs(ended.method)) return;
  if (wanted.least != 0) {
    log(jni, state, session, ended.method, CallAction::kEnter, now - ended.total, cpu - ended.cpu);
  }
  log(jni, state, session, ended.method, how, now, cpu);
}

// False: the open calls do not match the stack, and nothing has changed.
bool CallRecorder::end_all_but(const std::vector<MethodNumber>& on_stack, JNIEnv* jni, State& state,
                               const Session& session, OpenCalls& calls) {
  const auto runs = calls.which_still_run(on_stack);
  if (!runs) return false;
  Ticks now = TickClock::now();
  const Ticks cpu = cpu_of(session, state, calls, now);
  calls.end_unseen(*runs, now, cpu, [&](const OpenCalls::Ended& ended) {
    record_end(jni, state, session, ended, CallAction::kThrow, now, cpu);
  });
  return true;
}

void CallRecorder::enter(JNIEnv* jni, State* state, MethodNumber method) noexcept {
  const Reclamation::Reading reading(place_of(state));
  const Session* const session = session_.load(std::memory_order_acquire);
  if (session == nullptr) return;
  state = state_for(state, *session);
  if (state == nullptr) return;
  if (state->log_alone) return enter_log(jni, *state, method);
  OpenCalls* const calls = calls_of_current(jni, *state);
  if (calls == nullptr) return;
  if (calls->is_due()) [[unlikely]]
    end_unseen(jni, *state, *session, *calls, method);
  const Wanted& wanted = session->wanted;
  PathNumber path = kNoPath;
  bool counted = true;
  if (wanted.sums) {
    path = calls->path();
    counted = !wanted.summed || wanted.summed->marked(method);
    if (counted) {
      path = paths_->number_of(path, method);
      if (const auto at = state->sums->of(path); at.sum) at.add(&MethodSums::Sum::calls, 1);
    }
  }
  Ticks now = TickClock::now();
  const Ticks cpu = cpu_of(*session, *state, *calls, now);
  const bool below = wanted.roots && (calls->below() || wanted.roots->marked(method));
  if (!calls->enter(method, now, cpu, path, below, counted)) {
    state->too_deep.add(1);
    return;
  }
  if (wanted.log && (below || !wanted.roots) && wanted.least == 0 && wanted.logs(method)) {
    log(jni, *state, *session, method, CallAction::kEnter, now, cpu);
  }
}

void CallRecorder::leave(JNIEnv* jni, State* state, MethodNumber method, CallAction action,
                         Ticks now) noexcept {
  const Reclamation::Reading reading(place_of(state));
  const Session* const session = session_.load(std::memory_order_acquire);
  if (session == nullptr) return;
  state = state_for(state, *session);
  if (state == nullptr) return;
  if (state->log_alone) return leave_log(jni, *state, method, action, now);
  OpenCalls* const calls = calls_of_current(jni, *state);
  if (calls == nullptr) return;
  const Wanted& wanted = session->wanted;
  const Ticks cpu = cpu_of(*session, *state, *calls, now);
  const bool matched =
      calls->leave(method, now, cpu, [&](const OpenCalls::Ended& ended, bool unseen) {
        record_end(jni, *state, *session, ended, unseen ? CallAction::kThrow : action, now, cpu);
      });
  if (!matched) {
    state->unmatched.add(1);
    // The call may have been entered while only the log was wanted.
    if (wanted.log && !wanted.roots && wanted.least == 0 && wanted.logs(method)) {
      log(jni, *state, *session, method, action, now, cpu);
    }
  }
  if (calls != &state->own && calls->depth() == 0) {  // a virtual thread's outermost call
    virtual_calls_.forget(state->current_id, std::exchange(state->current, nullptr));
  }
}

bool CallRecorder::number_current(JNIEnv* jni, State& state, CallLog& log) noexcept {
  if (!fields_) return false;
  try {
    LocalRef<jthread> thread(jni, nullptr);
    if (jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE || !thread) return false;
    const std::int64_t id = fields_->id(jni, thread.get());
    state.log_thread = number_for_log(jni, thread.get(), id, log);
    state.log_thread_id = id;
  } catch (const std::exception&) {
    state.log_thread = 0;
  }
  return state.log_thread != 0;
}

bool CallRecorder::number_by_word(JNIEnv* jni, State& state, CallLog& log) noexcept {
  if (!number_current(jni, state, log)) {
    log.count_lost();
    return false;
  }
  return !by_word_ || vm_word(jni) == state.log_thread_id;  // false: during a mount or unmount
}

std::uint16_t CallRecorder::number_for_log(JNIEnv* jni, jthread thread, std::int64_t id,
                                           CallLog& log) {
  bool is_new = false;
  const std::uint16_t number = log.number_of_thread(id, is_new);
  if (number == 0 || !is_new) return number;
  std::string name = fields_->name(jni, thread);
  if (name.empty()) {
    const bool is_virtual =
        virtual_thread_ != nullptr && jni->IsInstanceOf(thread, virtual_thread_);
    name = (is_virtual ? "virtual thread " : "thread ") + std::to_string(id);
  }
  log.name_thread(number, std::move(name));
  return number;
}

CallRecorder::Sums CallRecorder::sums() const {
  Sums result;
  const Ticks now = TickClock::now();
  const auto add_open = [&](const OpenCalls::Ended& open) {
    if (open.path == kNoPath || !open.counted) return;
    MethodSum& sum = result.paths[open.path];
    sum.self += open.self;
    if (open.outermost) sum.total += open.total;
  };
  const auto add_ended = [&](PathNumber path, const MethodSum& more) {
    result.paths[path] += more;
  };
  const bool running = session_held_ != nullptr;
  const Ticks from = running ? session_held_->count_from : 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& state : states_) {
      // Calls may be open of a thread that has entered and left none since the sums were reset.
      if (running && state->calls_number == calls_number_) {
        state->own.for_each(now, add_open, from);
      }
      if (state->sums_number != sums_number_ || !state->sums) continue;
      state->sums->for_each(add_ended);
      result.unmatched += state->unmatched.get();
      result.too_deep += state->too_deep.get();
    }
  }
  if (common_sums_ && common_sums_number_ == sums_number_) common_sums_->for_each(add_ended);
  if (running) {
    virtual_calls_.for_each([&](const OpenCalls& calls) { calls.for_each(now, add_open, from); });
  }
  return result;
}

}  // namespace ddm
