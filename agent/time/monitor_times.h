// Where threads wait for locks, and how long (monitor=y): JVMTI's events of contended monitors and
// of Object.wait(), and hooks around LockSupport.park().
//
// Stack and class are recorded when a wait begins, so that only a clock reading and a table look-up
// come between acquiring a lock and using it. A wait is identified by the event's thread id, since
// a virtual thread may begin it on one carrier and end it on another. Waits in progress are
// reported besides the totals.
//
// Events on the threads concerned; start(), stop() and the rest on any attached thread.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/time_data.h"
#include "stack/stack_naming.h"
#include "time/lock_holders.h"
#include "time/measured_span.h"
#include "time/park_hooks.h"
#include "time/totals/monitor_totals.h"
#include "vm/vm_events.h"

namespace ddm {

class MonitorTimes final : public TimeDataSource, private VmListener {
 public:
  // Both return "" or the error. start() does nothing if on, otherwise it clears the results;
  // stop() keeps them.
  std::string start(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming);
  std::string stop(jvmtiEnv* jvmti);
  // After stop(): there are no results any more.
  void discard();
  // Before VMDeath: ends the events.
  void vm_halts();
  // Replaces stop() in VMDeath: the VM is not entered any more.
  void close() { closed_ = true; }

  // JVMTI event, on the thread concerned, which is not a virtual one.
  void thread_ended(JNIEnv* jni, jthread thread);
  // By ParkHooks: the current thread is about to park, or (`begin` is false) has parked.
  void parks(JNIEnv* jni, bool pinned, bool begin) noexcept;

  void add_to(TimeData& data) override;
  void add_names(NamesInUse& used) override;
  void forget() override;

 private:
  void monitor_contended_enter(JNIEnv* jni, jthread thread, jobject object) noexcept override {
    begins(jni, MonitorKind::kEnter, thread, object);
  }
  void monitor_contended_entered(JNIEnv* jni, jthread thread) noexcept override {
    ends(jni, MonitorKind::kEnter, thread);
  }
  void monitor_wait(JNIEnv* jni, jthread thread, jobject object) noexcept override {
    begins(jni, MonitorKind::kWait, thread, object);
  }
  void monitor_waited(JNIEnv* jni, jthread thread) noexcept override {
    ends(jni, MonitorKind::kWait, thread);
  }
  // Called on `thread`, which is about to wait for `object` or has just stopped waiting.
  void begins(JNIEnv* jni, MonitorKind kind, jthread thread, jobject object) noexcept;
  void ends(JNIEnv* jni, MonitorKind kind, jthread thread) noexcept;

  struct Begun {
    std::int64_t at_ns = 0;  // 0: not waiting
    NameId class_id = kUnknownName;
    TraceNumber trace = kNoTrace;
    HeldBy holder{};
  };
  static constexpr std::size_t kKinds = 4;
  struct alignas(64) Part {
    mutable std::mutex mutex;
    std::unordered_map<std::int64_t, std::array<Begun, kKinds>> begun;  // by Java's thread id
  };
  static constexpr std::size_t kParts = 64;
  static constexpr std::uint32_t kTraces = 65536;

  Part& part_of(std::int64_t thread_id) {
    return parts_[static_cast<std::uint64_t>(thread_id) % kParts];
  }
  bool wanted() const;
  NameId class_id_of(JNIEnv* jni, jobject object) const;
  std::vector<OngoingWait> waiting() const;

  jvmtiEnv* jvmti_ = nullptr;
  jfieldID thread_id_field_ = nullptr;
  jfieldID blocker_field_ = nullptr;  // Thread.parkBlocker
  ParkHooks parks_;
  std::optional<StackNaming> naming_;
  std::mutex switching_;  // serializes start and stop; never held while a report is made
  std::mutex mutex_;      // guards the next four; never held while classes are retransformed
  bool has_results_ = false;
  MeasuredSpan span_;
  std::string incomplete_;            // what is not measured although it is on; "": nothing
  std::unique_ptr<CallTree> traces_;  // created at the first start, then kept
  std::atomic<bool> on_{false};
  std::atomic<bool> closed_{false};
  MonitorTotals totals_;
  LockHolders holders_{totals_};
  std::array<Part, kParts> parts_;
};

}  // namespace ddm
