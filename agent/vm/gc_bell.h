// Wakes an agent thread when the VM has finished a GC pause.
//
// Counts GarbageCollectionFinish events, which are posted at the end of each pause (several per
// cycle of a concurrent collector). The events belong to a JVMTI environment of their own, so no
// other component can disable them. A callback must not enter the VM; this one only increments a
// counter and posts a semaphore.
#pragma once

#include <jvmti.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ddm {

class GcBell {
 public:
  // Live phase. Null: the VM refuses the events. Never freed: a VM thread may be in a callback at
  // any time.
  static GcBell* create(JavaVM* vm);

  // Initially off, at no cost. False: the VM refuses.
  bool switch_to(bool on);

  // Pauses that ended while the events were enabled.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

  // Reports a collection for which the VM posts no event.
  void collected() noexcept {
    count_.fetch_add(1, std::memory_order_release);
    ring();
  }
  // Any thread, and inside a pause.
  void ring() noexcept { sem_post(&rung_); }
  // Returns after a ring() since the previous wait.
  void wait();
  // The same with a timeout.
  void wait_for(std::chrono::milliseconds patience);

 private:
  GcBell() { sem_init(&rung_, 0, 0); }
  static void JNICALL finished(jvmtiEnv* jvmti);
  void forget_rings();

  jvmtiEnv* jvmti_ = nullptr;
  std::atomic<std::uint64_t> count_{0};
  sem_t rung_;
};

}  // namespace ddm
