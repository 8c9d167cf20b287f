// The calling-context tree: every distinct stack is a node, (caller's node, frame), so that stacks
// share the frames that they have in common, and a stack of any depth costs only what is new of it.
//
// Nodes lie in runs of words of four bytes, the callee behind its caller, and a node's number is the
// place of its word:
//
// | word     | bit 31 | bit 30 | bits below                         |
// | caller's | 1      |        | the node that the run is called by |
// | a node's | 0      | kGap   | kNode, 20 bits: its frame's number  |
//
// So the first callee of a node is found right behind it, if it is the node's run that goes on there;
// each other one begins a run of its own, which a table finds by caller and frame. Whoever knows the
// node of an outer frame of a stack asks for the callees from there on, the outermost first
// (callee()); a trail of the thread's last walk knows it (stack/walk/stack_trail.h).
//
// Whoever meets a known stack takes no lock. A node is stored under a mutex before its number can be
// seen, and after its caller's. Distinct frames have numbers of their own. Memory is taken as it
// fills, and nothing is ever dropped or moved.
//
// Where room gets scarce (NodeRoom), the tree grows below nodes whose callees come up often. What has
// no node yet is shown with a gap: the innermost frame stands right below the deepest caller that has
// one, or below one further out. So sums at callers are right from the thread's first frame on, and
// those of allocating methods, too. An eighth of the room is for these.
//
// What has no node yet is counted twice: the outermost missing frame, which many stacks may go
// through, and the stack itself. The one makes one node. The other makes all of them at once: each of
// them has come up at least as often as the stack.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/reserved_array.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"
#include "stack/tree/frame_numbers.h"
#include "stack/tree/node_room.h"
#include "stack/tree/trace_number.h"

namespace ddm {

inline constexpr std::uint32_t kDefaultTraces = 262144;
inline constexpr std::uint32_t kMaxTraces = 524288;

class CallTree {
 public:
  static constexpr std::uint32_t kWordsOfStack = 12;  // that room is made for

  // Null: no memory. `stacks`: for so many room is made, up to kMaxTraces; `depth`: the innermost
  // frames of each that are kept, up to kMaxTreeDepth.
  static std::unique_ptr<CallTree> create(std::uint32_t stacks, std::uint32_t depth);
  CallTree(const CallTree&) = delete;
  CallTree& operator=(const CallTree&) = delete;

  // The innermost frame first. More of them than depth(): the stack is cut there. Any thread.
  TraceNumber number_of(std::span<const Frame> frames);

  // Of a node, or kEmptyTrace; a new node where there is none, and room for whoever comes first.
  TraceNumber callee(TraceNumber caller, Frame frame) {
    const TraceNumber known = find(caller, frame);
    return known != kNoTrace ? known : new_callee(caller, frame);
  }
  // Of a stack that has these frames, the innermost first, inside of those that lead to `caller`.
  TraceNumber number_below(TraceNumber caller, std::span<const Frame> frames);
  // No other tree's, in this process.
  std::uint64_t serial() const { return serial_; }

  // Of numbers that were given. Where the thread begins: kEmptyTrace or kCutTrace.
  TraceNumber caller(TraceNumber number) const {
    const std::uint32_t before = word(number - 1);
    return (before & kCallerWord) != 0 ? before & ~kCallerWord : number - 1;
  }
  Frame frame(TraceNumber number) const { return frames_[word(number) & kFrame]; }
  // How many frames it has: they are counted.
  std::size_t size(TraceNumber number) const;
  // The innermost first: how many of the frames were copied.
  std::size_t read(TraceNumber number, std::span<Frame> to) const;
  // There were more frames, beyond the outermost one that is kept.
  bool cut(TraceNumber number) const;
  // There were more frames between the innermost one and the others.
  bool has_gap(TraceNumber number) const {
    return number > kCutTrace && (word(number) & kGap) != 0;
  }
  bool lacks_frames(TraceNumber number) const {
    return has_gap(number) || (number > kCutTrace && frame(number).method == kLeftOutName);
  }

  std::uint32_t most() const { return most_; }  // numbers are below
  std::uint32_t depth() const { return depth_; }
  // The numbers that were given are up to this one. Those between that are no node's have a caller,
  // too, but never a figure.
  TraceNumber last() const { return last_.load(std::memory_order_acquire); }
  void add_names(NamesInUse& used) const;

 private:
  using Word = std::atomic<std::uint32_t>;
  static constexpr std::uint32_t kCallerWord = 1u << 31, kGap = 1u << 30, kNode = 1u << 29;
  static constexpr std::uint32_t kFrame = (1u << FrameNumbers::kBits) - 1;
  // Of a word of the table: the number of a run's first node, and of the hash what tells most others.
  static constexpr unsigned kNumberBits = 24;
  static constexpr std::uint32_t kNumber = (1u << kNumberBits) - 1;
  static constexpr std::uint32_t kGapShare = 8;  // one word of so many is for stacks with a gap
  // Below a caller so far from the thread's first frame stacks with a gap stand together, if there
  // is no room below the one that they are called by; then below the first frame itself.
  static constexpr std::size_t kAnchor = 24;
  static constexpr std::uint32_t kForOutermost = 2048;  // words that no share is taken of
  static_assert(std::uint64_t{kMaxTraces} * kWordsOfStack + kForOutermost + 8 < kNumber);

  CallTree(std::uint32_t words, std::uint32_t depth);

  std::uint32_t word(TraceNumber number) const {
    return words_[number].load(std::memory_order_acquire);
  }
  static std::uint64_t hash_of(TraceNumber caller, Frame frame, std::uint32_t gap);
  TraceNumber find(TraceNumber caller, Frame frame) const {
    const std::uint32_t next = word(caller + 1);
    if ((next & (kCallerWord | kGap | kNode)) == kNode && frames_[next & kFrame] == frame) {
      return caller + 1;
    }
    return find_run(hash_of(caller, frame, 0), caller, frame, 0);
  }
  TraceNumber find_run(std::uint64_t hash, TraceNumber caller, Frame frame,
                       std::uint32_t gap) const;
  // kNoTrace: there is room for what comes up often, at most.
  TraceNumber new_callee(TraceNumber caller, Frame frame);
  TraceNumber number_with_gap(TraceNumber caller, Frame innermost);
  // kNoTrace: no room.
  TraceNumber gap_below(TraceNumber caller, Frame innermost, NodeRoom& room);
  // `room` of its kind; null: none is asked.
  TraceNumber insert(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room);

  const std::uint64_t serial_;
  const std::uint32_t most_;
  const std::uint32_t depth_;
  const std::size_t mask_;
  ReservedArray<Word> words_;
  ReservedArray<Word> runs_;
  FrameNumbers frames_;
  mutable std::mutex mutex_;  // of who adds
  std::atomic<TraceNumber> last_{kCutTrace};
  std::size_t run_count_ = 0;
  NodeRoom nodes_room_, gaps_room_, outermost_gaps_room_;
  SeldomNodes seldom_;
};

}  // namespace ddm
