// Where hooked methods report that they begin and end: on the thread that runs them, natives of
// java.lang.DdmTrackerCalls. It keeps each Java thread's open calls, adds up what ended calls took,
// and writes events to a log when there is one.
//
// For a log of all calls by wall time alone, nothing else is kept: who reads it finds out which end
// belongs to which entry (MatchedCalls).
//
// A virtual thread changes the thread of the system that it runs on. Its open calls are found by its
// id as long as it has any; sums and logs belong to threads of the system. No lock is taken on the
// way but by a virtual thread's outermost call.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/reclamation.h"
#include "time/calls/call_log.h"
#include "time/calls/call_paths.h"
#include "time/calls/method_marks.h"
#include "time/calls/method_numbers.h"
#include "time/calls/method_sums.h"
#include "time/calls/open_calls.h"
#include "vm/vm_threads.h"

namespace ddm {

class CallRecorder {
 public:
  // On an attached platform thread, in the live phase.
  // `numbers` lives longer.
  CallRecorder(jvmtiEnv* jvmti, JNIEnv* jni, std::unique_ptr<CallPaths> paths,
               const MethodNumbers& numbers);

  struct Wanted {
    bool sums = true;
    std::shared_ptr<MethodMarks> summed;  // of these methods; null: of all that have hooks
    bool cpu = true;                      // the CPU time of threads, too
    std::shared_ptr<CallLog> log;         // null: none
    std::shared_ptr<MethodMarks> logged;  // as `summed`
    // Into the log only what is at least so long; then what goes on at the end is not in it.
    Ticks least = 0;
    // And only what is called, however far, from these methods, and they; null: everything.
    std::shared_ptr<MethodMarks> roots;

    bool logs(MethodNumber method) const noexcept { return !logged || logged->marked(method); }
  };
  // From now on hooked methods are listened to, in this way. One thread at a time calls these.
  void listen(Wanted wanted);
  // What they say from now on is not listened to; the sums stay.
  void stop();
  // From the next listen() on sums begin anew.
  void forget_sums() { ++sums_number_; }

  // Sums by path, open calls as they stand now included; what was not understood. `total` and `cpu`
  // leave out calls inside another call of the method.
  struct Sums {
    std::map<PathNumber, MethodSum> paths;
    std::uint64_t unmatched = 0;  // exits without an entry
    std::uint64_t too_deep = 0;   // calls that were left out
  };
  Sums sums() const;
  const CallPaths& paths() const { return *paths_; }

  // The natives.
  void entered(JNIEnv* jni, MethodNumber method) noexcept;
  void left(JNIEnv* jni, MethodNumber method, CallAction action) noexcept;

 private:
  // One listen() to the next.
  struct Session {
    Wanted wanted;
    std::uint32_t number = 0;
    std::uint32_t sums_number = 0;
    std::uint32_t calls_number = 0;  // differs: what was open before is forgotten
    CallLog* log_alone = nullptr;    // wanted.log, where events go as they are and nowhere else
  };

  // What one thread of the system has; kept when it ends, for the next one.
  struct alignas(64) State {
    Reclamation::Place* place = nullptr;  // of its thread of the system
    std::uint32_t session = 0;
    std::uint16_t log_thread = 0;  // of the Java thread log_thread_id
    bool log_alone = false;        // the session's
    std::int64_t log_thread_id = 0;
    CallLog::Writer writer;
    std::uint32_t sums_number = 0;
    std::uint32_t calls_number = 0;
    OpenCalls own;                 // of its platform thread
    OpenCalls* current = nullptr;  // those of the Java thread that runs on it
    std::int64_t current_id = 0;
    ThreadCpuClock cpu;
    std::unique_ptr<MethodSums> sums;
    MethodSums::Figure unmatched, too_deep;
  };

  // Gives the state back when the thread ends. What Java code runs on it after that is not told.
  struct Holder {
    State* state = nullptr;
    CallRecorder* recorder = nullptr;
    ~Holder();
  };

  // The open calls of virtual threads, spread over several locks.
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::int64_t, OpenCalls*> calls;
    std::vector<OpenCalls*> unused;
    std::vector<std::unique_ptr<OpenCalls>> all;
  };

  void change_session(std::shared_ptr<const Session> session);
  void forget_open_calls();
  static Reclamation::Place& place_of(State* state) noexcept {
    return state != nullptr ? *state->place : Reclamation::own_place();
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
  OpenCalls* find_current(JNIEnv* jni, State& state, std::int64_t word);
  void forget_virtual(State& state) noexcept;
  // Functions of their own, which the natives jump to: of one for both, the compiler makes one that
  // takes half as long again.
  [[gnu::noinline]] void enter_log(JNIEnv* jni, State& state, MethodNumber method) noexcept;
  [[gnu::noinline]] void leave_log(JNIEnv* jni, State& state, MethodNumber method,
                                   CallAction action, Ticks now) noexcept;
  [[gnu::noinline]] void enter(JNIEnv* jni, State* state, MethodNumber method) noexcept;
  [[gnu::noinline]] void leave(JNIEnv* jni, State* state, MethodNumber method, CallAction action,
                               Ticks now) noexcept;
  // False: the thread that runs has no number in the log.
  bool numbered_for_log(JNIEnv* jni, State& state, CallLog& log) noexcept {
    if (state.log_thread != 0 && (!by_word_ || vm_word(jni) == state.log_thread_id)) [[likely]]
      return true;
    return number_by_word(jni, state, log);
  }
  bool number_by_word(JNIEnv* jni, State& state, CallLog& log) noexcept;
  void tell_end(JNIEnv* jni, State& state, const Session& session, const OpenCalls::Ended& ended,
                CallAction how, Ticks now, Ticks cpu) noexcept;
  [[gnu::noinline]] void end_unseen(JNIEnv* jni, State& state, const Session& session,
                                    OpenCalls& calls, MethodNumber entered) noexcept;
  static Ticks cpu_of(const Session& session, State& state, OpenCalls& calls, Ticks now) noexcept;
  void log(JNIEnv* jni, State& state, const Session& session, MethodNumber method,
           CallAction action, Ticks now, Ticks cpu) noexcept;
  bool number_current(JNIEnv* jni, State& state, CallLog& log) noexcept;
  std::uint16_t number_for_log(JNIEnv* jni, jthread thread, std::int64_t id, CallLog& log);
  std::int64_t vm_word(JNIEnv* jni) const {
    return *reinterpret_cast<const std::int64_t*>(threads_->of(jni) + word_offset_);
  }
  Shard& shard_of(std::int64_t id) {
    return shards_[static_cast<std::size_t>(id) % shards_.size()];
  }

  jvmtiEnv* const jvmti_;
  const std::unique_ptr<CallPaths> paths_;
  const MethodNumbers& numbers_;
  jfieldID thread_id_field_ = nullptr;
  jclass virtual_thread_ = nullptr;  // a global reference; null: this VM has no virtual threads
  std::optional<VmThreads> threads_;
  std::uintptr_t word_offset_ = 0;
  bool by_word_ = false;  // JavaThread::_monitor_owner_id (24 and later) is the thread's id

  mutable Reclamation reclamation_;
  std::atomic<const Session*> session_{nullptr};  // null: nobody listens
  std::shared_ptr<const Session> session_held_;
  std::uint32_t sessions_ = 0;
  std::uint32_t sums_number_ = 1;
  std::uint32_t calls_number_ = 1;

  mutable std::mutex mutex_;  // the lists of states
  std::vector<std::unique_ptr<State>> states_;
  std::vector<State*> unused_;
  std::array<Shard, 16> shards_;

  static thread_local State* t_state;
  static thread_local Holder t_holder;
  static thread_local bool t_ended;  // t_holder is gone
};

}  // namespace ddm
