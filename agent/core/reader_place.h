// Where a thread publishes what it reads without a lock, for writers that wait until no thread
// reads any more (reclamation.h, heap_pauses.h).
//
// A reader needs plain stores only, no shared cache line and no fence: the writer makes the kernel
// issue the fence in every thread (membarrier(2)). Places are per process: a thread has one for all
// instances. They are never freed, and reused by later threads. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace ddm {

struct alignas(64) ReaderPlace {
  std::atomic<std::uint64_t> phase{0};    // of Reclamation; 0: not reading
  std::atomic<std::uint64_t> in_heap{0};  // of HeapPauses; 0: not reading
  std::uint32_t readings = 0;   // Reclamation's nesting depth, accessed by the owner alone
  bool kernel_fences = false;   // membarrier(2) replaces the reader's fence
  ReaderPlace* next = nullptr;  // of all; constant
  ReaderPlace* next_free = nullptr;

  // The calling thread's place, valid until the thread ends (ThreadExit).
  static ReaderPlace& own() noexcept { return t_own != nullptr ? *t_own : take(); }
  // All places, by `next`.
  static const ReaderPlace* first() noexcept;

  // The owner's. A value is visible to every writer whose fence comes later.
  void publish(std::atomic<std::uint64_t>& what, std::uint64_t value) noexcept {
    if (kernel_fences) [[likely]] {
      what.store(value, std::memory_order_release);
      // Keeps the compiler from moving later loads before the store; the writer's membarrier keeps
      // the processor from it.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      what.exchange(value, std::memory_order_seq_cst);
    }
  }

 private:
  static ReaderPlace& take() noexcept;
  static void give_back() noexcept;

  static constinit thread_local ReaderPlace* t_own;
};

// For writers: on return every thread of the process has executed a full fence. `written`: the
// variable that readers look at after they have published.
void fence_in_all_threads(std::atomic<std::uint64_t>& written) noexcept;

}  // namespace ddm
