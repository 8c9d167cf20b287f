// The frames of one stack that a record keeps, gathered from the innermost outwards: without those
// that the program's author did not write, and without those that belong to the allocation itself.
#pragma once

#include <cstddef>
#include <span>

#include "stack/shown_frame.h"

namespace ddm {

// Which innermost frames belong to the allocation itself and not to the method that allocated.
enum class TopFrames {
  kAsTheyAre,    // the VM told of the allocation in the allocating method
  kTracker,      // a call of the Tracker behind the instruction
  kConstructors  // a call of the Tracker in Object.<init>: the constructors that the object is
                 // running through, which stand at their this() or super() call
};

class ShownStack {
 public:
  static constexpr std::size_t kMostFrames = kMaxDepth + 1;  // one more tells that a stack was cut

  // `wanted`: at most kMostFrames.
  ShownStack(TopFrames top, std::size_t wanted) : top_(top), wanted_(wanted) {}

  // The next frame outwards. false: there are as many as are wanted.
  bool add(ShownFrame frame) {
    const FrameRole role = frame.role();
    if (role != FrameRole::kPlain) {
      if (role == FrameRole::kHidden) return true;
      if (on_top_ && is_part_of_allocation(role)) return true;
    }
    on_top_ = false;
    last_role_ = role;
    frames_[count_++].frame = frame.frame();
    hash_ = (hash_ ^ (frame.bits() & kFrameBits)) * 0x9E3779B97F4A7C15ull;
    hash_ ^= hash_ >> 29;
    return count_ < wanted_;
  }

  // What was added was not the whole truth: begins anew.
  void restart() {
    count_ = 0;
    hash_ = 0;
    on_top_ = true;
    last_role_ = FrameRole::kPlain;
  }

  std::size_t wanted() const { return wanted_; }
  std::span<const Frame> frames() const { return {&frames_[0].frame, count_}; }
  FrameRole last_role() const { return last_role_; }
  // Of the frames and their order.
  std::uint64_t hash() const { return hash_; }

 private:
  union Room {  // not filled with anything before a frame is put there
    Room() {}
    Frame frame;
  };
  static constexpr std::uint64_t kFrameBits = ~std::uint64_t{0} >> 8;  // without the role

  bool is_part_of_allocation(FrameRole role) const {
    switch (top_) {
      case TopFrames::kAsTheyAre:
        return false;
      case TopFrames::kTracker:
        return role == FrameRole::kTracker;
      case TopFrames::kConstructors:
        return role == FrameRole::kTracker || role == FrameRole::kObjectInit ||
               role == FrameRole::kAtConstructor;
    }
    return false;
  }

  const TopFrames top_;
  const std::size_t wanted_;
  std::size_t count_ = 0;
  std::uint64_t hash_ = 0;
  bool on_top_ = true;
  FrameRole last_role_ = FrameRole::kPlain;
  Room frames_[kMostFrames];
};

}  // namespace ddm
