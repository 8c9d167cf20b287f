// The calling-context tree: every distinct stack is a node, (caller's node, frame), so that stacks
// share their common outer frames, and a stack of any depth costs only its new frames.
//
// Nodes are stored in runs of four-byte words (node_word.h), each callee after its caller. A node's
// number is the index of its word. Most searches for a missing callee end at its caller's filter.
//
// A callee that is added right after its caller continues the caller's run; every other callee
// begins a run of its own, which a hash table finds by caller and frame. A client that knows the
// node of an outer frame (stack/walk/stack_trail.h) begins there: descend().
//
// Finding a known stack takes no lock. A node is added under a mutex, after its caller's node, and
// stored before its number is published. Memory is committed as the tree grows, and nodes are never
// dropped or moved.
//
// Where room gets scarce (NodeRoom), only stacks that recur often get new nodes. Any other new
// stack is shown with a gap: its innermost frame becomes a callee of the deepest caller that has a
// node, or of one further out. So sums are right for callers, from the thread's first frame on, and
// for allocating methods. Hits are counted, or a random part of them: those of a stack's outermost
// missing frame, which stacks may share, lead to one node; those of the whole stack to all missing
// nodes, since each has come up at least as often; those of a gap below an outer caller to that gap.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "core/reserved_array.h"
#include "stack/frame.h"
#include "stack/names/name_table.h"
#include "stack/tree/frame_numbers.h"
#include "stack/tree/node_room.h"
#include "stack/tree/node_word.h"
#include "stack/tree/tree_copy.h"

namespace ddm {

inline constexpr std::uint32_t kDefaultTraces = 262144;
inline constexpr std::uint32_t kMaxTraces = 524288;

class CallTree {
 public:
  static constexpr std::uint32_t kWordsOfStack = 10;  // reserved for each stack
  // Frames of the outer stacks that are tried where a stack's own caller has no room for a gap.
  static constexpr std::array<std::size_t, 5> kAnchors = {384, 192, 96, 48, 24};

  // Null: no memory. Room for `stacks`, up to kMaxTraces, of `depth` frames, up to kMaxTreeDepth.
  static std::unique_ptr<CallTree> create(std::uint32_t stacks, std::uint32_t depth);

  // `frames`: innermost first. A stack with more than depth() frames is cut there. Any thread.
  TraceNumber number_of(std::span<const Frame> frames);

  // The sound nodes of a copy, to be read only, with translated frames. Null: no memory.
  static std::unique_ptr<CallTree> read_only(const TreeCopy&, const std::function<Frame(Frame)>&);

  // Goes from `caller` (a node or kEmptyTrace) to the callees `frames`, innermost first, and sets it
  // to the last one. Adds missing nodes while room is open to any new stack. Stores the nodes in
  // `nodes`, unless that is null; returns how many frames have none.
  std::size_t descend(TraceNumber& caller, std::span<const Frame> frames, TraceNumber* nodes);
  void prefetch(TraceNumber caller, Frame frame) const;  // for descend(), `frame` the outermost
  // The outer stacks of a node; kNoTrace: it has fewer frames.
  struct Outer {
    TraceNumber first = kNoTrace;                           // of its outermost frame
    std::array<TraceNumber, kAnchors.size()> anchors = {};  // of its kAnchors outermost frames
  };
  // The number of the stack with these frames, at least one, called from the stack `caller`, where
  // descend() has found no callee for the outermost. `outer`: the caller's. `hits`: to be counted.
  TraceNumber number_missing(TraceNumber caller, std::span<const Frame> frames, Outer outer,
                             std::uint32_t hits);
  std::uint32_t id() const { return id_; }  // unique in this process, not 0
  // Stores nodes in `copy` too from now on; call before the first one. An empty one ends that.
  void copy_to(const TreeCopy& copy);

  // The caller of a stack's outermost frame: kEmptyTrace or kCutTrace.
  TraceNumber caller(TraceNumber number) const {
    const std::uint32_t before = word(number - 1);
    return (before & NodeWord::kCaller) != 0 ? before & ~NodeWord::kCaller : number - 1;
  }
  Frame frame(TraceNumber number) const { return frames_[word(number) & NodeWord::kFrame]; }
  std::size_t size(TraceNumber number) const;  // frames, counted node by node
  // Copies frames, innermost first; returns their number.
  std::size_t read(TraceNumber number, std::span<Frame> to) const;
  bool cut(TraceNumber number) const;  // the stack had more frames beyond the outermost one
  // The stack had more frames between the innermost one and the others.
  bool has_gap(TraceNumber of) const { return of > kCutTrace && (word(of) & NodeWord::kGap) != 0; }
  bool lacks_frames(TraceNumber number) const {
    return has_gap(number) || (number > kCutTrace && frame(number).method == kLeftOutName);
  }

  std::uint32_t most() const { return most_; }  // all numbers are less
  static constexpr std::uint32_t most_of(std::uint32_t stacks) {
    return kCutTrace + 1 + kWordsOfStack * stacks + kForOutermost;
  }
  std::uint32_t depth() const { return depth_; }
  // Numbers that are no node have a caller, but no figure.
  bool is_node(TraceNumber number) const { return (word(number) & NodeWord::kNode) != 0; }
  // The largest number so far.
  TraceNumber last() const { return last_.load(std::memory_order_acquire); }
  void add_names(NamesInUse& used) const;

 private:
  using Word = std::atomic<std::uint32_t>;
  // A word of the hash table: the number of a run's first node, and bits of the hash as a filter.
  static constexpr unsigned kNumberBits = 24;
  static constexpr std::uint32_t kNumber = (1u << kNumberBits) - 1;
  static constexpr std::uint32_t kGapShare = 8, kGapParts = 8;  // an 8th of the words, in parts
  static constexpr std::uint32_t kForOutermost = 2048;          // words outside of all shares
  static_assert(std::uint64_t{kMaxTraces} * kWordsOfStack + kForOutermost + 8 < kNumber);

  CallTree(std::uint32_t words, std::uint32_t depth);

  std::uint32_t word(TraceNumber number) const {
    return words_[number].load(std::memory_order_acquire);
  }
  static std::uint64_t hash_of(TraceNumber caller, Frame frame, std::uint32_t gap);
  bool has(TraceNumber caller, std::uint32_t flag) const;
  // The callee without a gap and the one with a gap; kNoTrace: there is none.
  TraceNumber find(TraceNumber caller, Frame frame) const;
  TraceNumber find_gap(TraceNumber caller, Frame innermost) const;
  TraceNumber find_run(std::uint64_t hash, TraceNumber caller, Frame, std::uint32_t gap) const;
  // descend() from the first missing node on.
  std::size_t extend(TraceNumber& caller, std::span<const Frame> frames, TraceNumber* nodes);
  TraceNumber number_with_gap(TraceNumber caller, Frame innermost, const Outer& outer,
                              std::uint32_t hits);
  Outer outer(TraceNumber number, std::size_t depth) const;  // `depth`: its frames
  // kNoTrace: no room.
  TraceNumber gap_below(TraceNumber caller, Frame innermost, NodeRoom& room, std::uint32_t hits);
  // `room`: where the node's words are counted; null: nowhere.
  TraceNumber insert(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room);
  // Inserts what is not there yet. Lock held.
  TraceNumber append(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room);

  const std::uint32_t id_, most_, depth_;
  const std::size_t mask_;
  ReservedArray<Word> words_, runs_;
  FrameNumbers frames_;
  mutable std::mutex mutex_;  // held by writers
  std::atomic<TraceNumber> last_{kCutTrace};
  std::size_t run_count_ = 0;
  TreeCopy copy_;
  NodeRoom nodes_room_, gaps_room_, outermost_gaps_room_;
  std::array<NodeRoom, kAnchors.size()> anchor_gaps_room_;
  SeldomNodes seldom_, seldom_gaps_;
};

}  // namespace ddm
