// Numbers the distinct frames of a CallTree, so that a node needs 20 bits for its frame. One thread
// at a time adds; any thread may read a frame by its number. Frames are never dropped or moved.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/reserved_array.h"
#include "stack/frame.h"

namespace ddm {

using FrameNumber = std::uint32_t;

class FrameNumbers {
 public:
  static constexpr unsigned kBits = 20;
  static constexpr FrameNumber kNone = 1u << kBits;  // no room

  bool good() const { return frames_.good() && slots_.good(); }

  FrameNumber number_of(Frame frame) {
    std::size_t at = slot_of(frame);
    if (slots_[at].number != 0) return slots_[at].number - 1;
    if (count_ == kNone) return kNone;
    if (2 * std::size_t{count_} > mask_) {
      widen();
      at = slot_of(frame);
    }
    frames_[count_] = frame;
    slots_[at] = {frame, ++count_};
    return count_ - 1;
  }
  // Prefetches for number_of(); the thread that adds.
  void prefetch(Frame frame) const { __builtin_prefetch(&slots_[first_slot(frame) & mask_]); }
  Frame operator[](FrameNumber number) const { return frames_[number]; }
  // Only while no thread adds.
  std::span<const Frame> all() const { return {&frames_[0], count_}; }

 private:
  // Contains the frame itself, so that a lookup reads one cache line.
  struct Slot {
    Frame frame;
    FrameNumber number;  // plus one; 0: the slot is empty
  };
  static constexpr std::size_t kFirstSlots = 4096;

  static std::size_t first_slot(Frame frame) {
    return (std::bit_cast<std::uint64_t>(frame) * 0x9E3779B97F4A7C15ull) >> 40;
  }
  // The slot that has the frame, or the empty one where it would be inserted.
  std::size_t slot_of(Frame frame) const {
    for (std::size_t i = first_slot(frame);; ++i) {
      const Slot& there = slots_[i & mask_];
      if (there.number == 0 || there.frame == frame) return i & mask_;
    }
  }
  void widen() {
    std::fill_n(&slots_[0], mask_ + 1, Slot{});
    mask_ = std::min(4 * (mask_ + 1), slots_.size()) - 1;
    for (FrameNumber i = 0; i < count_; ++i) slots_[slot_of(frames_[i])] = {frames_[i], i + 1};
  }

  ReservedArray<Frame> frames_{kNone};
  // By the frame's hash. Only the first mask_ + 1 are in use, and half of these stay empty.
  ReservedArray<Slot> slots_{2 * std::size_t{kNone}};
  std::size_t mask_ = kFirstSlots - 1;
  std::uint32_t count_ = 0;
};

}  // namespace ddm
