// Hash of a stack -> a small dense number: 1, 2, 3, ... as stacks are first seen.
//
// A slot is one word, | 44 bits of the hash | 20 bits of number |, and the rest of the hash says
// where it stands: two stacks share a number once in some 2^62 pairs. Memory is reserved at once and
// used as it fills, 16 bytes a stack at least. No lock, no waiting; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ddm {

using TraceNumber = std::uint32_t;
inline constexpr TraceNumber kNoTrace = 0;  // more different stacks than there is room for
inline constexpr std::uint32_t kDefaultTraces = 262144;

class TraceNumbers {
 public:
  // `most`: how many stacks get a number; a power of two below 2^20.
  explicit TraceNumbers(std::uint32_t most = kDefaultTraces);
  ~TraceNumbers();
  TraceNumbers(const TraceNumbers&) = delete;
  TraceNumbers& operator=(const TraceNumbers&) = delete;

  TraceNumber number_of(std::uint64_t hash) {
    if (slots_ == nullptr) return kNoTrace;
    // Half of the slots stay empty: the loop ends.
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there == 0) return insert(hash, i);
      if (((there ^ hash) & ~kNumberBits) == 0) return static_cast<TraceNumber>(there & kNumberBits);
    }
  }

  // Numbers given out; a few of them to nobody, when two threads saw a new stack at once.
  std::uint32_t count() const { return given_.load(std::memory_order_relaxed); }

 private:
  using Slot = std::atomic<std::uint64_t>;
  static constexpr std::uint64_t kNumberBits = (1u << 20) - 1;

  TraceNumber insert(std::uint64_t hash, std::size_t at);

  const std::uint32_t most_;
  const std::size_t mask_;
  Slot* const slots_;  // null: no memory, no numbers
  std::atomic<std::uint32_t> given_{0};
};

}  // namespace ddm
