// Who holds the lock that a thread is about to wait for, and what that one is doing just then.
//
// The VM keeps the owner of a contended monitor as a thread's id (JDK 24 and newer) or as the address
// of its own structure of the thread; of a lock of java.util.concurrent a field says it. Who is not
// known by that is asked of the VM, which stops all threads for it: once for each, and within limits.
//
// start() on an attached platform thread; the rest on the threads that wait.
#pragma once

#include <jvmti.h>

#include <atomic>
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

  // Forgets all threads. `naming` and `traces`, where stacks get their numbers, live on.
  void start(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming, CallTree& traces);

  // In JVMTI's event of the thread that is about to wait for the monitor of `object`.
  HeldBy of_monitor(JNIEnv* jni, jobject object) noexcept;
  // Of a lock of java.util.concurrent; nobody if `blocker` is anything else.
  HeldBy of_lock(JNIEnv* jni, jobject blocker) noexcept;
  // The calling thread has waited for a monitor, and holds it now.
  void took(JNIEnv* jni, jthread thread, std::int64_t id) noexcept;

 private:
  struct Known {
    jweak thread = nullptr;
    ThreadNumber name = 0;
    TraceNumber trace = kNoTrace;  // of its stack, the last time
    std::int64_t trace_ns = 0;
  };
  // What the VM says of the monitor that the calling thread waits for.
  struct Owner {
    std::uintptr_t monitor = 0;  // the VM's; 0: it does not say
    std::uint64_t word = 0;      // 0: nobody
  };
  // Whose a monitor is whose word does not tell.
  struct Episode {
    std::uint64_t word = 0;
    jweak object = nullptr;
    std::int64_t id = 0;  // 0: a virtual thread
    std::int64_t asked_ns = 0;
  };

  // The first owners that the VM's words tell are held against JVMTI's, which the VM stops for.
  enum class Trust { kNotYet, kTrusted, kNone };
  static constexpr int kFirstOwners = 2;  // that agree, or that do not

  void find_layout(jvmtiEnv* jvmti, JNIEnv* jni);
  void compare(JNIEnv* jni, const Owner& owner, jthread official);
  bool is_owner(JNIEnv* jni, std::uint64_t word, jthread official);
  bool is_on_stack(std::uint64_t address, std::uintptr_t vm_thread) const;
  std::optional<Owner> owner_word(JNIEnv* jni) const;
  bool tells_id(const Owner& owner) const;
  std::optional<std::int64_t> known(JNIEnv* jni, const Owner& owner, jobject object);
  HeldBy ask(JNIEnv* jni, const Owner& owner, jobject object);
  HeldBy holder(JNIEnv* jni, std::int64_t id);
  void learn(JNIEnv* jni, jthread thread, std::int64_t id);
  void forget(JNIEnv* jni);
  TraceNumber stack_of(JNIEnv* jni, jthread thread);
  bool may_spend(std::int64_t now_ns) const;
  void spent_since(std::int64_t begin_ns);

  MonitorTotals& totals_;
  jvmtiEnv* jvmti_ = nullptr;
  std::optional<StackNaming> naming_;
  CallTree* traces_ = nullptr;
  std::optional<ThreadFields> fields_;
  std::optional<VmThreads> vm_threads_;
  std::int64_t pending_offset_ = 0;  // JavaThread::_current_pending_monitor
  std::int64_t owner_offset_ = 0;    // ObjectMonitor::_owner; 0: not known
  std::atomic<Trust> trust_{Trust::kNotYet};
  std::atomic<int> agreed_{0}, differed_{0};
  std::optional<std::int64_t> stack_base_, stack_size_;  // offsets in a JavaThread
  bool by_id_ = false;                                   // what stands there is a thread's id
  jclass ownable_ = nullptr;  // AbstractOwnableSynchronizer, a global reference
  jfieldID exclusive_owner_ = nullptr;
  jclass virtual_thread_ = nullptr;  // a global reference
  ThreadNumber some_virtual_ = 0;

  std::atomic<std::int64_t> started_ns_{0};
  std::atomic<std::int64_t> spent_ns_{0};
  std::mutex mutex_;                                      // of what follows
  std::unordered_map<std::int64_t, Known> threads_;       // by Java's id
  std::unordered_map<std::uint64_t, std::int64_t> ids_;   // by the VM's structure
  std::unordered_map<std::uintptr_t, Episode> episodes_;  // by the VM's monitor
};

}  // namespace ddm
