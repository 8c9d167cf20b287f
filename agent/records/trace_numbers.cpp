#include "records/trace_numbers.h"

#include <sys/mman.h>

namespace ddm {

TraceNumbers::TraceNumbers(std::uint32_t most)
    : most_(most), mask_(2 * std::size_t{most} - 1), slots_([&] {
        void* memory = mmap(nullptr, 2 * std::size_t{most} * sizeof(Slot), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return memory == MAP_FAILED ? nullptr : static_cast<Slot*>(memory);
      }()) {}

TraceNumbers::~TraceNumbers() {
  if (slots_ != nullptr) munmap(slots_, (mask_ + 1) * sizeof(Slot));
}

TraceNumber TraceNumbers::insert(std::uint64_t hash, std::size_t at) {
  // The number first: never more slots are taken than there are numbers.
  TraceNumber given = given_.load(std::memory_order_relaxed);
  do {
    if (given >= most_) return kNoTrace;
  } while (!given_.compare_exchange_weak(given, given + 1, std::memory_order_relaxed));
  const std::uint64_t mine = (hash & ~kNumberBits) | (given + 1);
  for (std::size_t i = at;; i = (i + 1) & mask_) {
    std::uint64_t there = 0;
    if (slots_[i].compare_exchange_strong(there, mine, std::memory_order_acq_rel)) {
      return given + 1;
    }
    if (((there ^ hash) & ~kNumberBits) == 0) return static_cast<TraceNumber>(there & kNumberBits);
  }
}

}  // namespace ddm
