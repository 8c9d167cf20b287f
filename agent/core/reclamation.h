// Frees memory that other threads read without a lock once no reader can hold a pointer into it.
//
// Readers are inside a Reading while they use a pointer. A writer first unlinks the old object,
// then retires it; it is freed when every reader that may have seen it has left.
//
// Time is divided into phases; each retire() ends one. A reader publishes the phase of its entry in
// its thread's Place: two plain stores, no shared cache line, and no fence, since the writer makes
// the kernel issue it (membarrier(2)). What was retired in phase n is freed once no reader that
// entered in phase n or before remains.
//
// Readers and phases are per process, so a Reading protects objects of every instance; an instance
// only holds what its writers have retired.
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
  // Where a thread publishes that it reads. Never freed; reused by later threads.
  struct alignas(64) Place {
    std::atomic<std::uint64_t> phase{0};  // 0: not reading
    std::uint32_t readings = 0;           // nesting depth, accessed by the owner alone
    bool kernel_fences = false;           // membarrier(2) replaces the reader's fence
    Place* next = nullptr;                // of all; constant
    Place* next_free = nullptr;
  };

  class Reading {  // may be nested; constructed and destroyed on one thread
   public:
    Reading() noexcept : Reading(own_place()) {}
    // For a caller that has cached the calling thread's place.
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

  // The calling thread's place, valid until the thread's thread_local objects are destroyed.
  static Place& own_place() noexcept;

  // Frees the object later, in a retire() of any thread: in batches, since a membarrier takes
  // microseconds. May be called inside a Reading.
  void retire(std::shared_ptr<const void> unreachable);

  // Waits until every thread that is inside a Reading now has left it. False: timed out. Must not
  // be called inside a Reading.
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
      // Keeps the compiler from moving later loads before the store; the writer's membarrier keeps
      // the processor from it.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      place.phase.exchange(phase, std::memory_order_seq_cst);
    }
  }
  // Frees what no reader can see. Returns the oldest phase that a reader entered in.
  std::uint64_t free_unseen();

  static constexpr std::size_t kEnough = 16;
  static std::atomic<std::uint64_t> s_phase;  // per process

  std::mutex mutex_;  // held by writers
  std::vector<Retired> retired_;
  std::size_t enough_ = kEnough;  // how many retired objects make a batch
};

}  // namespace ddm
