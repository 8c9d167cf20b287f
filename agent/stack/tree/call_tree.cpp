#include "stack/tree/call_tree.h"

#include <algorithm>
#include <bit>

namespace ddm {
namespace {

constexpr std::uint64_t kInverse = stack_hash::inverse_of(stack_hash::kBase);
constexpr std::uint64_t kGapTerm = 0xA24BAED4963EE407ull;  // between two frames, of no frame

std::uint64_t hash_below_gap(TraceNumber caller, Frame innermost) {
  return stack_hash::finished(stack_hash::term(innermost) +
                              stack_hash::kBase * (caller * kGapTerm + kGapTerm));
}

}  // namespace

std::unique_ptr<CallTree> CallTree::create(std::uint32_t stacks, std::uint32_t depth) {
  if (stacks < 1 || stacks > kMaxTraces || depth < 1 || depth > kMaxTreeDepth) return nullptr;
  std::unique_ptr<CallTree> tree(new CallTree(kNodesOfStack * stacks, depth));
  const bool good = tree->slots_.good() && tree->nodes_.good() && tree->frames_.good() &&
                    tree->seldom_.good() && tree->gaps_.good();
  if (!good) return nullptr;
  tree->nodes_[kCutTrace].caller = kEmptyTrace | kCut;
  return tree;
}

CallTree::CallTree(std::uint32_t nodes, std::uint32_t depth)
    : most_(kCutTrace + 1 + nodes + kForOutermost),
      depth_(depth),
      mask_(2 * std::bit_ceil(std::max<std::size_t>(nodes, 2 * kForOutermost)) - 1),
      slots_(mask_ + 1, ReservedArray<Slot>::Pages::kHuge),
      nodes_(most_),
      nodes_room_(nodes - nodes / kGapShare),
      gaps_room_(nodes / kGapShare / 2),
      outermost_gaps_room_(nodes / kGapShare / 2) {}

TraceNumber CallTree::number_of(std::span<const Frame> frames) {
  if (frames.empty()) return kEmptyTrace;
  const std::size_t kept = std::min<std::size_t>(frames.size(), depth_);
  std::uint64_t sum = frames.size() > kept ? stack_hash::kCut : 0;
  for (std::size_t i = kept; i-- > 0;) sum = stack_hash::term(frames[i]) + stack_hash::kBase * sum;
  const std::uint64_t hash = stack_hash::finished(sum);
  const TraceNumber known = known_number_of(hash);
  return known != kNoTrace ? known : number_of_new(hash, frames);
}

TraceNumber CallTree::number_of_new(std::uint64_t hash, std::span<const Frame> all) {
  const bool cut = all.size() > depth_;
  const std::span<const Frame> frames = all.first(cut ? depth_ : all.size());
  // [n]: without the n innermost frames.
  std::array<std::uint64_t, kMaxTreeDepth + 1> sums;
  sums[0] = stack_hash::unfinished(hash);
  std::size_t summed = 0;
  const auto known_without = [&](std::size_t missing) {
    if (missing == frames.size()) return cut ? kCutTrace : kEmptyTrace;
    for (; summed < missing; ++summed) {
      sums[summed + 1] = (sums[summed] - stack_hash::term(frames[summed])) * kInverse;
    }
    return find(stack_hash::finished(sums[missing]));
  };
  // All callers of a caller that is known are: in steps that double, then by halves. What the first
  // of these look at is fetched at once.
  const std::size_t fetched = std::min<std::size_t>(frames.size() - 1, 16);
  for (; summed < fetched; ++summed) {
    sums[summed + 1] = (sums[summed] - stack_hash::term(frames[summed])) * kInverse;
    if (!std::has_single_bit(summed + 1)) continue;
    __builtin_prefetch(&slots_[stack_hash::finished(sums[summed + 1]) & mask_]);
  }
  std::size_t unknown = 0, missing = 1;
  TraceNumber caller = known_without(missing);
  while (caller == kNoTrace) {
    unknown = missing;
    missing = std::min(2 * missing, frames.size());
    caller = known_without(missing);
  }
  while (missing - unknown > 1) {
    const std::size_t between = (unknown + missing) / 2;
    const TraceNumber found = known_without(between);
    if (found == kNoTrace) {
      unknown = between;
    } else {
      missing = between;
      caller = found;
    }
  }

  const auto grow = [&] {
    const TraceNumber node = insert(stack_hash::finished(sums[missing - 1]), caller,
                                    frames[missing - 1], 0, &nodes_room_);
    if (node == kNoTrace) return false;
    caller = node;
    return --missing > 0;
  };
  bool grows = true;
  while (grows && nodes_room_.is_open_to(1)) grows = grow();
  if (missing > 0) {
    // What comes up by far more often than it has to grows by more than one.
    std::uint32_t hits = seldom_.hit(stack_hash::finished(sums[missing - 1]), gaps_.hits(hash));
    for (; grows && nodes_room_.is_open_to(hits); hits /= 2) grows = grow();
  }
  if (missing == 0) return caller;
  const TraceNumber number = number_with_gap(frames, missing, cut, caller);
  if (number != kNoTrace) gaps_.put(hash, number);
  return number;
}

TraceNumber CallTree::number_with_gap(std::span<const Frame> frames, std::size_t missing, bool cut,
                                      TraceNumber caller) {
  TraceNumber number = number_below(caller, frames.front(), gaps_room_);
  if (number != kNoTrace) return number;
  std::uint64_t sum = cut ? stack_hash::kCut : 0, first = 0;
  const std::size_t known = std::min(frames.size() - missing, kAnchor);
  for (std::size_t i = 0; i < std::max<std::size_t>(known, 1); ++i) {
    sum = stack_hash::term(frames[frames.size() - 1 - i]) + stack_hash::kBase * sum;
    if (i == 0) first = stack_hash::finished(sum);
  }
  if (known == kAnchor) {
    const TraceNumber anchor = find(stack_hash::finished(sum));
    if (anchor != kNoTrace) number = number_below(anchor, frames.front(), gaps_room_);
    if (number != kNoTrace) return number;
  }
  const TraceNumber outermost =
      insert(first, cut ? kCutTrace : kEmptyTrace, frames.back(), 0, nullptr);
  if (outermost == kNoTrace || frames.size() == 1) return outermost;
  number = number_below(outermost, frames.front(), outermost_gaps_room_);
  if (number != kNoTrace) return number;
  constexpr Frame kAll = {kLeftOutName, kNativeFrameBci};
  return insert(hash_below_gap(outermost, kAll), outermost, kAll, 0, nullptr);
}

TraceNumber CallTree::number_below(TraceNumber caller, Frame innermost, NodeRoom& room) {
  const std::uint64_t hash = hash_below_gap(caller, innermost);
  const TraceNumber known = find(hash);
  if (known != kNoTrace) return known;
  const bool open = room.is_open_to(1) || room.is_open_to(seldom_.hit(hash, 1));
  return open ? insert(hash, caller, innermost, kGap, &room) : kNoTrace;
}

TraceNumber CallTree::insert(std::uint64_t hash, TraceNumber caller, Frame frame,
                             std::uint32_t flags, NodeRoom* room) {
  const std::lock_guard lock(mutex_);
  std::size_t at = hash & mask_;
  for (;; at = (at + 1) & mask_) {
    const std::uint64_t there = slots_[at].load(std::memory_order_relaxed);
    if (there == 0) break;
    if (TraceWord::is_of(there, hash)) return TraceWord::number(there);
  }
  const TraceNumber number = last_.load(std::memory_order_relaxed) + 1;
  if (number == most_) return kNoTrace;
  const FrameNumber frame_number = frames_.number_of(frame);
  if (frame_number == FrameNumbers::kNone) return kNoTrace;
  const auto depth = static_cast<std::uint32_t>(size(caller) + 1);
  nodes_[number] = {caller | (nodes_[caller].caller & kCut) | flags,
                    frame_number | depth << kDepthShift};
  if (room != nullptr) room->take();
  last_.store(number, std::memory_order_release);
  slots_[at].store(TraceWord::of(hash, number), std::memory_order_release);
  return number;
}

std::size_t CallTree::read(TraceNumber number, std::span<Frame> to) const {
  const std::size_t count = std::min(size(number), to.size());
  for (std::size_t i = 0; i < count; ++i, number = caller(number)) to[i] = frame(number);
  return count;
}

void CallTree::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  for (const Frame& frame : frames_.all()) used.methods.insert(frame.method);
}

}  // namespace ddm
