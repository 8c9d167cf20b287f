// Where the slots of a ring are in its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "allocations/store/ring_slot.h"

namespace ddm {

class RingSlots {
 public:
  using Word = RingSlot::Word;

  // Each head right before its frames, as in a ring file.
  static RingSlots adjacent(Word* at, std::uint32_t depth) {
    const std::size_t stride = adjacent_bytes(depth) / sizeof(Word);
    return {at, stride, at + RingSlot::kHeadWords, stride};
  }
  static constexpr std::size_t adjacent_bytes(std::uint32_t depth) {
    return (RingSlot::kHeadWords + depth) * sizeof(Word);
  }
  // All heads, each on a cache line of its own, before all frames: what no record uses is not
  // written to. `at`: aligned to a cache line.
  static RingSlots apart(Word* at, std::uint32_t slots, std::uint32_t depth) {
    return {at, kLineWords, at + std::size_t{slots} * kLineWords, depth};
  }
  static constexpr std::size_t words_apart(std::uint32_t slots, std::uint32_t depth) {
    return slots * (kLineWords + depth);
  }

  RingSlot operator[](std::size_t i) const {
    return {heads_ + i * head_stride_, frames_ + i * frames_stride_};
  }

 private:
  static constexpr std::size_t kLineWords = 64 / sizeof(Word);
  static_assert(RingSlot::kHeadWords <= kLineWords);

  RingSlots(Word* heads, std::size_t head_stride, Word* frames, std::size_t frames_stride)
      : heads_(heads), head_stride_(head_stride), frames_(frames), frames_stride_(frames_stride) {}

  Word* heads_;
  std::size_t head_stride_;  // in words
  Word* frames_;
  std::size_t frames_stride_;
};

}  // namespace ddm
