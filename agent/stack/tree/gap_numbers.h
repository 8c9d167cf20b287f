// Stacks that have no node of their own, each with the number of the one with a gap that stands for
// it meanwhile:
// | 38 bits of the hash | 4 bits of turns | 22 bits of number |
// A newcomer takes the place of who was there. Each sixteenth time nothing is said, so that the tree
// has a chance to grow. Any thread, no lock: a turn may be lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/reserved_array.h"
#include "stack/tree/trace_number.h"

namespace ddm {

class GapNumbers {
 public:
  static constexpr std::uint32_t kTurns = 16;

  bool good() const { return words_.good(); }

  // kNoTrace: not known, or its turn has come.
  TraceNumber find(std::uint64_t hash) {
    std::atomic<std::uint64_t>& place = words_[hash % kPlaces];
    const std::uint64_t word = place.load(std::memory_order_acquire);
    if (((word ^ hash) & kHash) != 0 || is_due(word)) return kNoTrace;
    place.store(word + kTurn, std::memory_order_release);
    return TraceWord::number(word);
  }
  // How many hits it stands for that the tree has to look at it.
  std::uint32_t hits(std::uint64_t hash) const {
    const std::uint64_t word = words_[hash % kPlaces].load(std::memory_order_relaxed);
    return ((word ^ hash) & kHash) == 0 && is_due(word) ? kTurns : 1;
  }
  void put(std::uint64_t hash, TraceNumber number) {
    words_[hash % kPlaces].store((hash & kHash) | kTurn | number, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t kTurn = TraceWord::kNumberBits + 1;
  static constexpr std::uint64_t kTurnBits = (kTurns - 1) * kTurn;
  static constexpr std::uint64_t kHash = ~(kTurnBits | TraceWord::kNumberBits);
  static constexpr std::size_t kPlaces = 32768;

  static bool is_due(std::uint64_t word) { return (word & kTurnBits) == kTurnBits || word == 0; }

  ReservedArray<std::atomic<std::uint64_t>> words_{kPlaces};
};

}  // namespace ddm
