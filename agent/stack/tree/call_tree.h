// The calling-context tree: every distinct stack is a node, (caller's node, frame), so that stacks
// share the frames that they have in common, and a stack of any depth costs only what is new of it.
//
// A node is found by the hash of its whole stack (stack_hash), which a walk has as it ends. The hash
// of the caller's stack follows from it and from the innermost frame: where a stack is new, the
// frames that changed are looked up, the innermost first, until there is a caller that is known.
// A slot is one word (TraceWord): two stacks share a node once in some 2^62 pairs.
//
// | node  | 22 bits caller's node, 1 bit kCut, 1 bit kGap | 20 bits frame, 11 bits depth |
//
// Whoever meets a known stack takes no lock. A new node is stored under a mutex before its number
// can be seen, and after its caller's. Distinct frames have numbers of their own. Memory is taken
// as it fills, and nothing is ever dropped or moved.
//
// Where room gets scarce (NodeRoom), the tree grows by a few nodes at a time, below nodes whose stacks
// come up often. What has no node yet is shown with a gap: the innermost frame stands right below
// the deepest caller that has one, or below one further out. So sums at callers are right from the
// thread's first frame on, and those of allocating methods, too. An eighth of the room is for these.
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
#include "stack/stack_hash.h"
#include "stack/tree/frame_numbers.h"
#include "stack/tree/gap_numbers.h"
#include "stack/tree/node_room.h"
#include "stack/tree/trace_number.h"

namespace ddm {

inline constexpr std::uint32_t kNodesOfStack = 4;  // that room is made for
inline constexpr std::uint32_t kDefaultTraces = 262144;
inline constexpr std::uint32_t kMaxTraces = 524288;

class CallTree {
 public:
  // Null: no memory. `stacks`: for so many room is made, up to kMaxTraces; `depth`: the innermost
  // frames of each that are kept, up to kMaxTreeDepth.
  static std::unique_ptr<CallTree> create(std::uint32_t stacks, std::uint32_t depth);
  CallTree(const CallTree&) = delete;
  CallTree& operator=(const CallTree&) = delete;

  // The innermost frame first. More of them than depth(): the stack is cut there. Any thread.
  TraceNumber number_of(std::span<const Frame> frames);
  // By its ShownStack::hash() with as many frames hashed as depth(). kNoTrace: number_of_new() has
  // to be asked.
  TraceNumber known_number_of(std::uint64_t hash) {
    const TraceNumber known = find(hash);
    if (known != kNoTrace) [[likely]] {
      lately_[hash % kLately].store(TraceWord::of(hash, known), std::memory_order_release);
      return known;
    }
    return gaps_.find(hash);
  }
  // Of one with frames, that known_number_of() has just said nothing of.
  TraceNumber number_of_new(std::uint64_t hash, std::span<const Frame> frames);

  // Of a stack that was met a short while ago; kNoTrace: known_number_of() says more, and what it
  // is going to look at is being fetched.
  TraceNumber number_lately(std::uint64_t hash) const {
    const std::uint64_t lately = lately_[hash % kLately].load(std::memory_order_acquire);
    if (lately != 0 && TraceWord::is_of(lately, hash)) return TraceWord::number(lately);
    __builtin_prefetch(&slots_[hash & mask_]);
    return kNoTrace;
  }

  // Of numbers that were given. Where the thread begins: kEmptyTrace or kCutTrace.
  TraceNumber caller(TraceNumber number) const { return nodes_[number].caller & kCaller; }
  Frame frame(TraceNumber number) const { return frames_[nodes_[number].frame & kFrame]; }
  // How many frames it has.
  std::size_t size(TraceNumber number) const { return nodes_[number].frame >> kDepthShift; }
  // The innermost first: how many of the frames were copied.
  std::size_t read(TraceNumber number, std::span<Frame> to) const;
  // There were more frames, beyond the outermost one that is kept.
  bool cut(TraceNumber number) const { return (nodes_[number].caller & kCut) != 0; }
  // There were more frames between the innermost one and the others.
  bool has_gap(TraceNumber number) const { return (nodes_[number].caller & kGap) != 0; }
  bool lacks_frames(TraceNumber number) const {
    return has_gap(number) || (size(number) > 0 && frame(number).method == kLeftOutName);
  }

  std::uint32_t most() const { return most_; }  // numbers are below
  std::uint32_t depth() const { return depth_; }
  // The numbers that were given are up to this one.
  TraceNumber last() const { return last_.load(std::memory_order_acquire); }
  void add_names(NamesInUse& used) const;

 private:
  using Slot = std::atomic<std::uint64_t>;
  struct Node {
    std::uint32_t caller, frame;
  };
  static constexpr std::uint32_t kCut = 1u << 31, kGap = 1u << 30, kCaller = (1u << 22) - 1;
  static constexpr std::uint32_t kDepthShift = FrameNumbers::kBits,
                                 kFrame = (1u << kDepthShift) - 1;
  static constexpr std::size_t kLately = 1024;
  static constexpr std::uint32_t kGapShare = 8;  // one node of so many is for stacks with a gap
  // Below a caller so far from the thread's first frame stacks with a gap stand together, if there
  // is no room below the one that they are called by; then below the first frame itself.
  static constexpr std::size_t kAnchor = 24;
  static constexpr std::uint32_t kForOutermost = 1024;  // nodes that no share is taken of

  CallTree(std::uint32_t nodes, std::uint32_t depth);
  TraceNumber find(std::uint64_t hash) const {
    // A quarter of the slots stays empty at least: the loop ends.
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint64_t there = slots_[i].load(std::memory_order_acquire);
      if (there == 0) return kNoTrace;
      if (TraceWord::is_of(there, hash)) return TraceWord::number(there);
    }
  }
  // `missing`: of the frames, the innermost ones, below `caller`.
  TraceNumber number_with_gap(std::span<const Frame> frames, std::size_t missing, bool cut,
                              TraceNumber caller);
  // kNoTrace: no room.
  TraceNumber number_below(TraceNumber caller, Frame innermost, NodeRoom& room);
  // `room` of its kind; null: none is asked.
  TraceNumber insert(std::uint64_t hash, TraceNumber caller, Frame frame, std::uint32_t flags,
                     NodeRoom* room);

  const std::uint32_t most_;
  const std::uint32_t depth_;
  const std::size_t mask_;
  ReservedArray<Slot> slots_;
  // Words as in slots_, each of the stack that was met last of those that belong there: of two
  // stacks one may take the other's number once in some 2^52 pairs. Half of javac's stacks are among
  // a thousand, which stay in the processor's cache; slots_ do not.
  std::array<Slot, kLately> lately_{};
  ReservedArray<Node> nodes_;
  FrameNumbers frames_;
  mutable std::mutex mutex_;  // of who adds
  std::atomic<TraceNumber> last_{kCutTrace};
  NodeRoom nodes_room_, gaps_room_, outermost_gaps_room_;
  SeldomNodes seldom_;
  GapNumbers gaps_;
};

}  // namespace ddm
