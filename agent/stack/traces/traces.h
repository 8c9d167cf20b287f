// Every distinct stack once: hash of a stack -> a small dense number -> its frames.
//
// A slot is one word (TraceWord): two stacks share a number once in some 2^62 pairs. Whoever meets
// a known stack takes no lock. A new one is stored under a mutex before its number can be seen, so a
// number that one has leads to frames. Distinct frames have numbers of their own: a stack takes four
// bytes a frame. Memory is taken as it fills, and nothing is ever dropped or moved.
//
// Compilers, parsers and starting servers have millions of different stacks, most of which come up
// once. Part of the room is therefore for stacks that are shortened to 16 frames, to 4 and to 1:
// what finds no room in full (TraceRoom) is counted by its innermost frames, until it has come up
// often enough. It gets a number of its own then, and what was counted until then stays where it is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/reserved_array.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"
#include "stack/traces/seldom_stacks.h"
#include "stack/traces/trace_number.h"
#include "stack/traces/trace_room.h"

namespace ddm {

inline constexpr std::uint32_t kDefaultTraces = 262144;
inline constexpr std::uint32_t kMaxTraces = 524288;

class Traces {
 public:
  // Null: no memory. `most`: how many stacks get a number, up to kMaxTraces; `depth`: how many
  // frames of each are kept, up to kMaxDepth.
  static std::unique_ptr<Traces> create(std::uint32_t most, std::uint32_t depth);
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

  // `hash`: of the first depth() frames and of whether there are more. More of them than depth():
  // the stack was cut there. Any thread.
  TraceNumber number_of(std::uint64_t hash, std::span<const Frame> frames) {
    if (frames.empty()) return kEmptyTrace;
    const TraceNumber known = known_number_of(hash);
    return known != kNoTrace ? known : number_of_new(hash, frames);
  }
  // Of a stack with frames; kNoTrace: number_of_new() says more.
  TraceNumber known_number_of(std::uint64_t hash) {
    const TraceNumber known = find(hash);
    if (known != kNoTrace) [[likely]] {
      lately_[hash % kLately].store(TraceWord::of(hash, known), std::memory_order_release);
      return known;
    }
    const SeldomStacks::Known seldom = seldom_.hit(hash);
    return in_full_.is_open_to(seldom.hits) ? kNoTrace : seldom.shortened;
  }
  // Of one that known_number_of() has just said nothing of.
  TraceNumber number_of_new(std::uint64_t hash, std::span<const Frame> frames);

  // Of a stack that was met a short while ago and has its own number; kNoTrace: number_of() says
  // more, and what it is going to look at is being fetched.
  TraceNumber number_lately(std::uint64_t hash) const {
    const std::uint64_t lately = lately_[hash % kLately].load(std::memory_order_acquire);
    if (lately != 0 && TraceWord::is_of(lately, hash)) return TraceWord::number(lately);
    __builtin_prefetch(&slots_[hash & mask_]);
    return kNoTrace;
  }

  // Of a number that number_of() gave: how many of the frames were copied.
  std::size_t read(TraceNumber number, std::span<Frame> to) const;
  // How many frames it has, and one of them; 0 is the innermost.
  std::size_t size(TraceNumber number) const {
    return number <= kEmptyTrace ? 0 : (ends_[number] & kEnd) - (ends_[number - 1] & kEnd);
  }
  Frame frame(TraceNumber number, std::size_t i) const {
    return frames_[stacks_[(ends_[number - 1] & kEnd) + i]];
  }
  // There were more frames; of shortened ones for want of room.
  bool cut(TraceNumber number) const { return number > kEmptyTrace && (ends_[number] & kCut) != 0; }
  bool shortened(TraceNumber number) const {
    return number > kEmptyTrace && (ends_[number] & kShortened) != 0;
  }

  std::uint32_t most() const { return most_; }
  std::uint32_t depth() const { return depth_; }
  std::uint32_t count() const;  // stacks with a number, without the empty one
  void add_names(NamesInUse& used) const;

 private:
  using Slot = std::atomic<std::uint64_t>;
  using FrameNumber = std::uint32_t;
  // With the frame itself, so that a new stack looks at one line of memory for each of its frames.
  struct FrameSlot {
    Frame frame;
    FrameNumber number;  // and one; 0: none stands here
  };
  static constexpr std::uint32_t kCut = 1u << 31, kShortened = 1u << 30;
  static constexpr std::uint32_t kEnd = kShortened - 1;
  static constexpr std::array<std::uint32_t, 3> kShortDepths = {16, 4, 1};
  static constexpr std::array<std::uint32_t, 3> kShortShares = {8, 16, 16};  // one of so many
  static constexpr std::size_t kMostFrames = std::size_t{1} << 20;           // different ones
  static constexpr std::size_t kFirstFrameSlots = 4096;
  static constexpr std::size_t kLately = 1024;

  Traces(std::uint32_t most, std::uint32_t depth);
  TraceNumber number_of_shortened(std::span<const Frame> frames);
  // kNoTrace: a new one.
  TraceNumber find(std::uint64_t hash) const {
    // Half of the slots stay empty: the loop ends.
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there == 0) return kNoTrace;
      if (TraceWord::is_of(there, hash)) return TraceWord::number(there);
    }
  }
  // kNoTrace: no room. The frames are all those to keep.
  TraceNumber insert(std::uint64_t hash, std::span<const Frame> frames, std::uint32_t flags,
                     TraceRoom& room);
  // kMostFrames: no room.
  FrameNumber number_of_frame(Frame frame);
  std::size_t slot_of_frame(Frame frame) const;  // where it stands, or would stand
  void widen_frame_slots();

  const std::uint32_t most_;
  const std::uint32_t depth_;
  const std::size_t mask_;
  ReservedArray<Slot> slots_;
  // Words as in slots_, each of the stack that was met last of those that belong there: of two
  // stacks one may take the other's number once in some 2^54 pairs. Half of javac's stacks are among
  // a thousand, which stay in the processor's cache; slots_ do not.
  std::array<Slot, kLately> lately_{};
  SeldomStacks seldom_;
  // The frames of stack n are those from where n - 1 ends to where n ends, with flags on top of it.
  ReservedArray<std::uint32_t> ends_;
  ReservedArray<FrameNumber> stacks_;
  ReservedArray<Frame> frames_;
  // By the frame's hash: the first slots only, so many that half of them stay empty.
  ReservedArray<FrameSlot> frame_slots_;
  std::size_t frame_mask_ = kFirstFrameSlots - 1;
  mutable std::mutex mutex_;  // of who adds
  std::uint32_t frame_count_ = 0;
  TraceRoom in_full_;
  std::array<TraceRoom, kShortDepths.size()> shortened_;
  std::atomic<TraceNumber> last_{kEmptyTrace};
  std::atomic<bool> full_{false};  // of frames
};

}  // namespace ddm
