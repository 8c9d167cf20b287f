// The arrays of a StackTrail: the steps of its last walk, and those of the walk in progress.
//
// They lie one after the other in one mapping, uninitialized, and are as long as stacks of depth()
// frames need: the trail of a shallow stack takes few pages, whose addresses the processor keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/reserved_array.h"
#include "stack/shown_frame.h"
#include "stack/tree/call_tree.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/frame_walker.h"

namespace ddm {

class TrailArrays {
 protected:
  struct Step {
    FrameWalker::Place place;
    std::int32_t word, frame;  // the first ones; they end where the next step's begin
  };
  struct NewStep : Step {
    VmAddress code;
  };
  struct NewFrame {
    Frame frame;
    ShownRole role;
  };
  using Stamp = std::uint64_t __attribute__((vector_size(FrameCache::kStampBytes)));

  TrailArrays() { resize(kFirstDepth); }
  TrailArrays(const TrailArrays&) = delete;
  TrailArrays& operator=(const TrailArrays&) = delete;
  bool good() const { return memory_.good(); }  // false: no memory
  // Makes the arrays larger, and their contents undefined. False: they are as large as can be.
  bool grow() { return depth_ < kMostDepth && resize(depth_ * kGrowth); }

  // New steps: one stack of depth_ frames. The trail: a third more, for its outer side.
  std::int32_t new_steps_most() const { return depth_ + 32; }
  std::int32_t new_words_most() const { return 3 * new_steps_most(); }
  std::int32_t new_frames_most() const { return depth_ + 128; }
  std::int32_t steps_most() const { return new_steps_most() / 3 * 4; }
  std::int32_t words_most() const { return new_words_most() / 3 * 4; }
  std::int32_t frames_most() const { return new_frames_most() / 3 * 4; }

  Step* steps_ = nullptr;
  VmAddress* code_ = nullptr;
  // Where code may be freed: the stamp of each step, in the same order. Recursion has few stamps.
  std::int16_t* stamp_of_step_ = nullptr;
  VmAddress *stamp_code_ = nullptr, *stamp_at_ = nullptr;
  Stamp* stamp_ = nullptr;
  VmAddress *word_at_ = nullptr, *word_value_ = nullptr;
  Frame* frames_ = nullptr;
  ShownRole* roles_ = nullptr;
  std::int16_t* step_of_frame_ = nullptr;
  // The node of each frame's stack, from the thread's first frame on; kNoTrace: not looked up yet.
  TraceNumber* nodes_ = nullptr;
  NewStep* new_step_ = nullptr;
  FrameWalker::Word* new_word_ = nullptr;
  NewFrame* new_frame_ = nullptr;

 private:
  static constexpr std::int32_t kFirstDepth = 16, kGrowth = 4, kMostDepth = kMaxTreeDepth;
  static_assert(kFirstDepth * kGrowth * kGrowth * kGrowth == kMostDepth);

  // False: there is no memory, and nothing has changed.
  bool resize(std::int32_t depth);
  // Assigns the arrays' addresses from `memory` on; returns how many bytes they take.
  std::size_t lay_out(VmAddress memory);

  std::int32_t depth_ = 0;
  ReservedArray<char> memory_;
};

}  // namespace ddm
