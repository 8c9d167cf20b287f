// Records entries and exits of hooked methods, on the thread that runs them: the natives of
// java.lang.DdmTrackerCalls. Keeps each Java thread's open calls, sums the times of ended calls,
// and appends events to a log if there is one.
//
// For a log of all calls by wall time alone nothing else is kept: the reader matches exits with
// entries (MatchedCalls).
//
// A virtual thread moves between OS threads. Its open calls are found by its id while there are
// any; sums and logs are per OS thread. A lock is taken only at a virtual thread's outermost call.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/reclamation.h"
#include "time/calls/call_log.h"
#include "time/calls/call_paths.h"
#include "time/calls/method_marks.h"
#include "time/calls/method_numbers.h"
#include "time/calls/method_sums.h"
#include "time/calls/open_calls.h"
#include "time/calls/virtual_calls.h"
#include "vm/thread_fields.h"
#include "vm/vm_events.h"
#include "vm/vm_threads.h"

namespace ddm {

class CallRecorder final : public VmListener {
 public:
  // Call on an attached platform thread, in the live phase. `numbers` must outlive the recorder.
  CallRecorder(jvmtiEnv* jvmti, JNIEnv* jni, std::unique_ptr<CallPaths> paths,
               const MethodNumbers& numbers);

  struct Wanted {
    bool sums = true;
    std::shared_ptr<MethodMarks> summed;  // methods to sum; null: all hooked ones
    bool cpu = true;                      // CPU times as well
    std::shared_ptr<CallLog> log;         // null: none
    std::shared_ptr<MethodMarks> logged;  // methods to log; null: all hooked ones
    // Calls shorter than this are not logged; if set, calls still open at the end are not, either.
    Ticks least = 0;
    // Only these methods and their direct and indirect callees are logged; null: everything.
    std::shared_ptr<MethodMarks> roots;

    bool logs(MethodNumber method) const noexcept { return !logged || logged->marked(method); }
  };
  // Starts recording as `wanted`, or changes what is recorded. Called by one thread at a time.
  void listen(Wanted wanted);
  // Stops recording; the sums are kept.
  void stop();
  // Makes the next listen() reset the sums. Open calls count from now on, if not logged at their end.
  void forget_sums();

  // Sums by path, with open calls so far. `total` and `cpu`: without calls within one of that method.
  struct Sums {
    std::map<PathNumber, MethodSum> paths;
    std::uint64_t unmatched = 0;  // exits without an entry
    std::uint64_t too_deep = 0;   // calls not recorded
  };
  Sums sums() const;
  const CallPaths& paths() const { return *paths_; }

  // Called by the natives.
  void entered(JNIEnv* jni, MethodNumber method) noexcept;
  void left(JNIEnv* jni, MethodNumber method, CallAction action) noexcept;
  // On a Java thread that ends: its OS thread may be attached as another one next. Also on the one that
  // ends the program, whose calls are open until then.
  static void thread_ending(JNIEnv* jni);
  void virtual_thread_end(JNIEnv* jni, jthread thread) override;

 private:
  // The period from one listen() to the next.
  struct Session {
    Wanted wanted;
    std::uint32_t number = 0, sums_number = 0;
    std::shared_ptr<CommonSums> common_sums;
    std::uint32_t calls_number = 0;  // differs from the state's: earlier open calls are discarded
    CallLog* log_alone = nullptr;    // wanted.log, if events only have to be appended to it
    Ticks count_from = 0;            // what calls took before is in no sum
  };

  // One OS thread's data; reused by a later thread.
  struct alignas(64) State {
    ReaderPlace* place = nullptr;  // of its OS thread
    std::uint32_t session = 0;
    std::uint16_t log_thread = 0;  // the number of the Java thread log_thread_id
    bool log_alone = false;        // the session's
    std::int64_t log_thread_id = 0;
    CallLog::Writer writer;
    std::uint32_t sums_number = 0, calls_number = 0;
    OpenCalls own;                 // of its platform thread
    OpenCalls* current = nullptr;  // of the Java thread that runs on it
    std::int64_t current_id = 0;
    Ticks count_from = 0;  // the session's
    ThreadCpuClock cpu;
    std::unique_ptr<MethodSums> sums;
    OneWriter<std::uint64_t> unmatched, too_deep;

    void forget_thread() {
      own.clear();
      current = nullptr;
      current_id = 0;
      log_thread = 0;
    }
  };

  // Of the calling thread, which ends.
  static void give_state_back() noexcept;

  void change_session(std::shared_ptr<const Session> session);
  void forget_open_calls();
  static ReaderPlace& place_of(State* state) noexcept {
    return state != nullptr ? *state->place : ReaderPlace::own();
  }
  State* state_for(State* state, const Session& session) noexcept {
    if (state != nullptr && state->session == session.number) [[likely]]
      return state;
    return new_state(session);
  }
  State* new_state(const Session& session) noexcept;
  void begin_session(State& state, const Session& session);
  OpenCalls* calls_of_current(JNIEnv* jni, State& state) noexcept {
    if (virtual_thread_ == nullptr) return &state.own;
    const std::int64_t word = by_word_ ? vm_word(jni) : 0;
    OpenCalls* const current = state.current;
    if (word == state.current_id && current != nullptr && word != 0 &&
        (current == &state.own || current->owner.load(std::memory_order_acquire) == word))
        [[likely]]
      return current;
    return look_up_current(jni, state, word);
  }
  OpenCalls* look_up_current(JNIEnv* jni, State& state, std::int64_t word) noexcept;
  // Separate functions, tail-called by the natives: one function for both cases compiles to code
  // that takes half as long again.
  [[gnu::noinline]] void enter_log(JNIEnv* jni, State& state, MethodNumber method) noexcept;
  [[gnu::noinline]] void leave_log(JNIEnv* jni, State& state, MethodNumber method,
                                   CallAction action, Ticks now) noexcept;
  [[gnu::noinline]] void enter(JNIEnv* jni, State* state, MethodNumber method) noexcept;
  [[gnu::noinline]] void leave(JNIEnv* jni, State* state, MethodNumber method, CallAction action,
                               Ticks now) noexcept;
  // False: the current thread has no number in the log.
  bool numbered_for_log(JNIEnv* jni, State& state, CallLog& log) noexcept {
    if (state.log_thread != 0 && (!by_word_ || vm_word(jni) == state.log_thread_id)) [[likely]]
      return true;
    return number_by_word(jni, state, log);
  }
  bool number_by_word(JNIEnv* jni, State& state, CallLog& log) noexcept;
  void record_end(JNIEnv* jni, State& state, const Session& session, const OpenCalls::Ended& ended,
                  CallAction how, Ticks now, Ticks cpu) noexcept;
  [[gnu::noinline]] void end_unseen(JNIEnv* jni, State& state, const Session& session,
                                    OpenCalls& calls, MethodNumber entered) noexcept;
  bool end_all_but(const std::vector<MethodNumber>& on_stack, JNIEnv* jni, State& state,
                   const Session& session, OpenCalls& calls);
  void end_thread(JNIEnv* jni, State& state, const Session& session, OpenCalls& calls) noexcept;
  static Ticks cpu_of(const Session& session, State& state, OpenCalls& calls, Ticks& now) noexcept;
  void log(JNIEnv* jni, State& state, const Session& session, MethodNumber method,
           CallAction action, Ticks now, Ticks cpu) noexcept;
  bool number_current(JNIEnv* jni, State& state, CallLog& log) noexcept;
  std::uint16_t number_for_log(JNIEnv* jni, jthread thread, std::int64_t id, CallLog& log);
  std::int64_t vm_word(JNIEnv* jni) const {
    return *reinterpret_cast<const std::int64_t*>(threads_->of(jni) + word_offset_);
  }

  jvmtiEnv* const jvmti_;
  const std::unique_ptr<CallPaths> paths_;
  const MethodNumbers& numbers_;
  std::optional<ThreadFields> fields_;  // nullopt: not found, and no thread can be told
  jclass virtual_thread_ = nullptr;     // a global reference; null: the VM has no virtual threads
  std::optional<VmThreads> threads_;
  std::uintptr_t word_offset_ = 0;
  bool by_word_ = false;  // JavaThread::_monitor_owner_id (24 and later) is the thread's id

  mutable Reclamation reclamation_;
  std::atomic<const Session*> session_{nullptr};  // null: not recording
  std::shared_ptr<const Session> session_held_;
  std::uint32_t sessions_ = 0, sums_number_ = 1, calls_number_ = 1, common_sums_number_ = 0;
  std::shared_ptr<CommonSums> common_sums_;  // of common_sums_number_; null: nobody has listened
  Ticks sums_begin_ = 0;                     // 0: they have not been reset

  mutable std::mutex mutex_;  // guards the lists of states
  std::vector<std::unique_ptr<State>> states_;
  std::vector<State*> unused_;
  VirtualCalls virtual_calls_;

  static constinit thread_local State* t_state;
  static constinit thread_local CallRecorder* t_recorder;  // whose state that is
};

}  // namespace ddm
