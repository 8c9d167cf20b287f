#include "vm/memory/heap_pauses.h"

#include <thread>

namespace ddm {

void HeapPauses::begin() noexcept {
  using Clock = std::chrono::steady_clock;
  number_.fetch_or(1);  // readings that begin after the fence see it
  fence_in_all_threads(number_);
  const Clock::time_point start = Clock::now();
  for (const ReaderPlace* place = ReaderPlace::first(); place != nullptr; place = place->next) {
    while (place->in_heap.load(std::memory_order_acquire) != 0) {
      if (Clock::now() - start >= kPatience) return;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

}  // namespace ddm
