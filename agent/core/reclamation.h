// When may memory be freed that other threads read without a lock?
//
// Readers stand in a Reading for as long as they use what they found. A writer first makes the old
// thing unreachable, then retires it: it is freed once all who might have seen it have left.
//
// Time is cut into phases; retiring something ends one. A reader notes the phase that it came in at
// a place of its own thread: two plain stores, no line of memory that other readers write to, and
// no fence, which the writer asks the kernel for instead (membarrier(2)). What was retired in phase
// n is freed once nobody is noted who came in n or before.
//
// Readers and phases are the process's, so that a Reading holds for every instance; an instance is
// what some writers have retired.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ddm {

class Reclamation {
 public:
  // Where a thread notes that it reads. Never freed, used again by later threads.
  struct alignas(64) Place {
    std::atomic<std::uint64_t> phase{0};  // 0: reads nothing
    std::uint32_t readings = 0;           // nested ones, of the thread alone
    bool kernel_fences = false;           // for whoever reads
    std::atomic<bool> taken{true};
    Place* next = nullptr;
  };

  class Reading {  // may be nested; begins and ends on one thread
   public:
    Reading() noexcept : Reading(own_place()) {}
    // For who has kept the place of the calling thread.
    explicit Reading(Place& place) noexcept : place_(place) {
      if (place_.readings++ == 0) enter(place_);
    }
    ~Reading() {
      if (--place_.readings == 0) place_.phase.store(0, std::memory_order_release);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    Place& place_;
  };

  // The calling thread's, until its thread_local objects go.
  static Place& own_place() noexcept;

  // Frees it later, on a thread that retires something else: some at a time, since asking the
  // kernel takes microseconds. Also inside a Reading.
  void retire(std::shared_ptr<const void> unreachable);

  // Waits until everybody who is in a Reading now has left it. False: not within so long. Never
  // inside a Reading.
  bool wait_for_readers(std::chrono::milliseconds patience);

 private:
  struct Retired {
    std::uint64_t phase;
    std::shared_ptr<const void> thing;
  };

  // Publishing the phase late only delays reclamation.
  static void enter(Place& place) noexcept {
    const std::uint64_t phase = s_phase.load(std::memory_order_acquire);
    if (place.kernel_fences) [[likely]] {
      place.phase.store(phase, std::memory_order_release);
      // The compiler keeps what follows behind the store; the processor does where it matters.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      place.phase.exchange(phase, std::memory_order_seq_cst);
    }
  }
  // Frees what nobody can see any more. Returns the phase that the oldest reader came in.
  std::uint64_t free_unseen();

  static constexpr std::size_t kEnough = 16;
  static std::atomic<std::uint64_t> s_phase;  // of the process

  std::mutex mutex_;  // writers
  std::vector<Retired> retired_;
  std::size_t enough_ = kEnough;  // so many are worth a try
};

}  // namespace ddm
