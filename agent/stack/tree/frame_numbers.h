// Numbers the distinct frames of a CallTree, so that a node needs 20 bits for its frame. One thread
// at a time adds; any thread may read a frame by its number. Frames are never dropped or moved.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "core/number_index.h"
#include "core/reserved_array.h"
#include "stack/frame.h"

namespace ddm {

using FrameNumber = std::uint32_t;

class FrameNumbers {
 public:
  static constexpr unsigned kBits = NumberIndex::kBits;
  static constexpr FrameNumber kNone = NumberIndex::kNumber;  // no room

  bool good() const { return frames_.good() && index_.good(); }

  FrameNumber number_of(Frame frame) {
    const auto is = [&](std::uint32_t number) { return frames_[number - 1] == frame; };
    if (const std::uint32_t number = index_.find(place_of(frame), is); number != 0) {
      return number - 1;
    }
    if (count_ == kNone) return kNone;
    frames_[count_] = frame;
    index_.add(++count_, [&](std::uint32_t number) { return place_of(frames_[number - 1]); });
    return count_ - 1;
  }
  // Prefetches for number_of(); the thread that adds.
  void prefetch(Frame frame) const { index_.prefetch(place_of(frame)); }
  Frame operator[](FrameNumber number) const { return frames_[number]; }
  // Only while no thread adds.
  std::span<const Frame> all() const { return {&frames_[0], count_}; }

 private:
  static NumberIndex::Place place_of(Frame frame) {
    const std::uint64_t hash = std::bit_cast<std::uint64_t>(frame) * 0x9E3779B97F4A7C15ull;
    return {hash >> 40, static_cast<std::uint32_t>(hash >> 20)};
  }

  ReservedArray<Frame> frames_{kNone};
  NumberIndex index_{kNone};  // of numbers plus one
  std::uint32_t count_ = 0;
};

}  // namespace ddm
