// Wakes a thread of ours when the VM has collected garbage.
//
// Counts the VM's GarbageCollectionFinish events, which come at the end of each pause of a
// collector (a concurrent one makes several in a cycle). Events of an own JVMTI environment, so
// nobody else's switching is in the way; inside one nothing of the VM may be touched, and nothing
// is but a counter and a semaphore.
#pragma once

#include <jvmti.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ddm {

class GcBell {
 public:
  // Live phase. Null: the VM refuses the events. Never freed: the VM may be in one at any time.
  static GcBell* create(JavaVM* vm);

  // Off from the start, and then it costs nothing. False: the VM refuses.
  bool switch_to(bool on);

  // Pauses that have ended while it was on.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

  // A collection of which the VM does not tell.
  void collected() noexcept {
    count_.fetch_add(1, std::memory_order_release);
    ring();
  }
  // Any thread, and inside a pause.
  void ring() noexcept { sem_post(&rung_); }
  // Until it has been rung since the last wait.
  void wait();
  // The same, at most so long.
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
