// Finds the owner of the lock that a thread is about to wait for, and what that owner is executing.
//
// The VM stores the owner of a contended monitor as a thread id (JDK 24 and newer) or as the
// address of its JavaThread; a lock of java.util.concurrent has it in a field. An owner that is not
// known by that is queried through JVMTI, which needs a safepoint: once per owner, within limits.
//
// start() on an attached platform thread; the rest on the waiting threads.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "stack/stack_naming.h"
#include "stack/tree/call_tree.h"
#include "time/totals/monitor_totals.h"
#include "vm/thread_fields.h"
#include "vm/vm_threads.h"

namespace ddm {

class LockHolders {
 public:
  explicit LockHolders(MonitorTotals& totals) : totals_(totals) {}

  // Discards all threads. `naming` and `traces`, which interns the stacks, must outlive this
  // object.
  void start(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming, CallTree& traces);

  // Call in MonitorContendedEnter, on the thread that waits for the monitor of `object`.
  HeldBy of_monitor(JNIEnv* jni, jobject object) noexcept;
  // The owner of a lock of java.util.concurrent; unknown if `blocker` is anything else.
  HeldBy of_lock(JNIEnv* jni, jobject blocker) noexcept;
  // Call in MonitorContendedEntered: the calling thread owns the monitor now.
  void acquired(JNIEnv* jni, jthread thread, std::int64_t id) noexcept;

 private:
  struct Known {
    jweak thread = nullptr;
    ThreadNumber name = 0;
    TraceNumber trace = kNoTrace;  // its most recent stack, when it owned `lock_id`
    std::int64_t trace_ns = 0;
    std::uint64_t lock_id = 0;
  };
  // The VM's data on the monitor that the calling thread waits for.
  struct Owner {
    std::uintptr_t monitor = 0;  // address of the ObjectMonitor; 0: unknown
    std::uint64_t word = 0;      // 0: unowned
  };
  // The cached owner of a monitor whose word does not identify it.
  struct Episode {
    std::uint64_t word = 0;
    jweak object = nullptr;
    std::int64_t id = 0;  // 0: a virtual thread
    std::int64_t queried_ns = 0;
  };

  // The VM's words are verified by what they say of a thread that has just become an owner, and
  // against JVMTI, which needs a safepoint.
  enum class Trust { kNotYet, kTrusted, kNone };
  static constexpr int kAgreed = 2, kDiffered = 4;  // results that decide
  static constexpr std::chrono::milliseconds kPatience{20};

  void find_layout(jvmtiEnv* jvmti, JNIEnv* jni);
  std::int64_t compare(JNIEnv* jni, const Owner& owner, jthread official);
  void judge_missing_monitor(JNIEnv* jni);
  void judge_acquired(JNIEnv* jni, std::int64_t id);
  void decide(bool agrees);
  bool is_owner(JNIEnv* jni, std::uint64_t word, jthread official);
  bool is_on_stack(std::uint64_t address, std::uintptr_t vm_thread) const;
  std::optional<Owner> owner_word(JNIEnv* jni) const;
  bool is_thread_id(const Owner& owner) const;
  bool is_virtual(JNIEnv* jni, jthread thread) const {
    return virtual_thread_ != nullptr && jni->IsInstanceOf(thread, virtual_thread_);
  }
  std::optional<std::int64_t> known(JNIEnv* jni, const Owner& owner, jobject object);
  HeldBy query_owner(JNIEnv* jni, const Owner& owner, jobject object);
  HeldBy holder_of_monitor(JNIEnv* jni, std::int64_t id, const Owner& owner);
  template <typename StillOwned>
  HeldBy holder(JNIEnv* jni, std::int64_t id, std::uint64_t lock_id, StillOwned still_owned);
  void learn(JNIEnv* jni, jthread thread, std::int64_t id);
  void forget(JNIEnv* jni);
  TraceNumber stack_of(JNIEnv* jni, jthread thread);
  using Lock = std::unique_lock<std::timed_mutex>;
  // Of mutex_. May not own it: a debugger can suspend its owner in the middle of a JNI call, and no
  // other thread may wait for that one. The holder is unknown then.
  Lock lock();
  bool may_spend(std::int64_t now_ns) const;
  void spent_since(std::int64_t begin_ns);

  MonitorTotals& totals_;
  jvmtiEnv* jvmti_ = nullptr;
  std::optional<StackNaming> naming_;
  CallTree* traces_ = nullptr;
  std::optional<ThreadFields> fields_;
  std::optional<VmThreads> vm_threads_;
  std::int64_t pending_offset_ = 0;           // JavaThread::_current_pending_monitor
  std::optional<std::int64_t> owner_offset_;  // ObjectMonitor::_owner
  std::atomic<Trust> trust_{Trust::kNotYet};
  std::atomic<int> agreed_{0}, differed_{0};
  std::optional<std::int64_t> stack_base_, stack_size_;  // offsets in a JavaThread
  bool by_id_ = false;                                   // the owner word is a thread id
  jclass ownable_ = nullptr;  // AbstractOwnableSynchronizer, global reference
  jfieldID exclusive_owner_ = nullptr;
  jclass virtual_thread_ = nullptr;  // global reference
  ThreadNumber some_virtual_ = 0;

  std::atomic<std::int64_t> started_ns_{0};
  std::atomic<std::int64_t> spent_ns_{0};
  std::atomic<bool> stalled_{false};                      // the last attempt at the lock failed
  std::timed_mutex mutex_;                                // guards what follows
  std::unordered_map<std::int64_t, Known> threads_;       // by Java thread id
  std::unordered_map<std::uint64_t, std::int64_t> ids_;   // by JavaThread address
  std::unordered_map<std::uintptr_t, Episode> episodes_;  // by ObjectMonitor address
};

}  // namespace ddm
