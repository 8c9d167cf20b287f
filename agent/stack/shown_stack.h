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

  // `wanted`: at most kMostFrames. `hashed`: how many of them hash() tells apart.
  ShownStack(TopFrames top, std::size_t wanted, std::size_t hashed = kMostFrames)
      : top_(top), wanted_(wanted), hashed_(hashed) {}

  // How far it is. A walk keeps it in registers from frame to frame, see add().
  struct Progress {
    std::size_t count = 0;
    std::uint64_t hash = 0;
    bool on_top = true;
    FrameRole last_role = FrameRole::kPlain;
  };
  Progress progress() const { return progress_; }
  void set_progress(const Progress& progress) { progress_ = progress; }

  // The next frame outwards. false: there are as many as are wanted.
  bool add(ShownFrame frame) { return add(frame, progress_); }

  // The same, counted in `progress`, which set_progress() is told of in the end.
  [[gnu::always_inline]] bool add(ShownFrame frame, Progress& progress) {
    const FrameRole role = frame.role();
    if (role != FrameRole::kPlain) {
      if (role == FrameRole::kHidden) return true;
      if (progress.on_top && is_part_of_allocation(role)) return true;
    }
    progress.on_top = false;
    progress.last_role = role;
    // A sum of what each frame comes to where it stands: no term waits for the one before.
    if (progress.count < hashed_) [[likely]] {
      progress.hash += mixed(frame.bits() & kFrameBits, progress.count);
    } else if (progress.count == hashed_) {
      progress.hash += mixed(kCut, progress.count);
    }
    frames_[progress.count++].frame = frame.frame();
    return progress.count < wanted_;
  }

  // What was added was not the whole truth: begins anew.
  void restart() { progress_ = {}; }

  std::size_t wanted() const { return wanted_; }
  std::span<const Frame> frames() const { return {&frames_[0].frame, progress_.count}; }
  FrameRole last_role() const { return progress_.last_role; }
  // Of the first `hashed` frames, their order, and whether there are more.
  std::uint64_t hash() const { return progress_.hash ^ progress_.hash >> 29; }

 private:
  union Room {  // not filled with anything before a frame is put there
    Room() {}
    Frame frame;
  };
  static constexpr std::uint64_t kFrameBits = ~std::uint64_t{0} >> 8;  // without the role
  static constexpr std::uint64_t kCut = ~std::uint64_t{0};             // no frame

  static std::uint64_t mixed(std::uint64_t frame, std::size_t position) {
    std::uint64_t value = (frame + (position + 1) * 0xC2B2AE3D27D4EB4Full) * 0x9E3779B97F4A7C15ull;
    value ^= value >> 32;
    return value * 0xD6E8FEB86659FD93ull;
  }

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
  const std::size_t hashed_;
  Progress progress_;
  Room frames_[kMostFrames];
};

}  // namespace ddm
