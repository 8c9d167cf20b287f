#include "stack/tree/call_tree.h"

#include <algorithm>
#include <bit>

namespace ddm {
namespace {

std::atomic<std::uint64_t> last_serial{0};

constexpr std::uint64_t kHashFactor = 0xD6E8FEB86659FD93ull;

}  // namespace

std::unique_ptr<CallTree> CallTree::create(std::uint32_t stacks, std::uint32_t depth) {
  if (stacks < 1 || stacks > kMaxTraces || depth < 1 || depth > kMaxTreeDepth) return nullptr;
  std::unique_ptr<CallTree> tree(new CallTree(kWordsOfStack * stacks, depth));
  const bool good =
      tree->words_.good() && tree->runs_.good() && tree->frames_.good() && tree->seldom_.good();
  if (!good) return nullptr;
  // The word before kEmptyTrace and kCutTrace holds their caller; no run continues after these.
  tree->words_[kNoTrace] = kCallerWord | kNoTrace;
  tree->words_[kEmptyTrace] = kCallerWord | kEmptyTrace;
  tree->words_[kCutTrace] = kCallerWord;
  return tree;
}

// A fifth of javac's words are callers'. If half were, a quarter of the table would be empty.
CallTree::CallTree(std::uint32_t words, std::uint32_t depth)
    : serial_(++last_serial),
      most_(kCutTrace + 1 + words + kForOutermost),
      depth_(depth),
      mask_(std::bit_ceil(std::max<std::size_t>(words / 2, 2 * kForOutermost)) - 1),
      words_(std::size_t{most_} + 1),
      runs_(mask_ + 1, ReservedArray<Word>::Pages::kHuge),
      nodes_room_(words - words / kGapShare),
      gaps_room_(words / kGapShare / 2),
      outermost_gaps_room_(words / kGapShare / 2) {}

TraceNumber CallTree::number_of(std::span<const Frame> frames) {
  const bool cut = frames.size() > depth_;
  return number_below(cut ? kCutTrace : kEmptyTrace, cut ? frames.first(depth_) : frames);
}

std::size_t CallTree::descend(TraceNumber& caller, std::span<const Frame> frames,
                              TraceNumber* nodes) {
  const TraceNumber last = this->last();
  for (std::size_t missing = frames.size(); missing > 0; --missing) {
    const TraceNumber next = find(caller, frames[missing - 1]);
    if (next == kNoTrace) return extend(caller, frames.first(missing), nodes, last);
    caller = next;
    if (nodes != nullptr) nodes[missing - 1] = next;
  }
  return 0;
}

// A new node has no callees, so nothing is looked up again but what other threads may have added
// since the tree was searched.
std::size_t CallTree::extend(TraceNumber& caller, std::span<const Frame> frames, TraceNumber* nodes,
                             TraceNumber last_searched) {
  std::size_t missing = frames.size();
  // Outermost frames of threads get nodes outside of the shares, while any are left.
  const auto room_below = [&](TraceNumber number) {
    return nodes_room_.is_open_to(1) || number <= kCutTrace;
  };
  if (!room_below(caller)) return missing;
  const std::lock_guard lock(mutex_);
  for (const Frame frame : frames) frames_.prefetch(frame);
  bool is_new = last() == last_searched;
  for (; missing > 0 && room_below(caller); --missing) {
    const Frame frame = frames[missing - 1];
    TraceNumber next = is_new ? kNoTrace : find(caller, frame);
    is_new = next == kNoTrace;
    if (is_new) next = append(caller, frame, 0, nodes_room_.is_open_to(1) ? &nodes_room_ : nullptr);
    if (next == kNoTrace) break;
    caller = next;
    if (nodes != nullptr) nodes[missing - 1] = next;
  }
  return missing;
}

TraceNumber CallTree::number_below(TraceNumber caller, std::span<const Frame> frames,
                                   TraceNumber anchor) {
  std::size_t missing = descend(caller, frames, nullptr);
  if (missing == 0) return caller;
  std::uint64_t hash = hash_of(caller, frames[missing - 1], 0);
  std::uint32_t hits = seldom_.hit(hash);
  for (std::size_t i = missing - 1; i-- > 0;) {
    hash = (hash ^ hash >> 32 ^ std::bit_cast<std::uint64_t>(frames[i])) * kHashFactor;
  }
  const std::uint32_t hits_of_stack = missing > 1 ? seldom_.hit(hash ^ hash >> 32) : hits;
  for (; missing > 0 && nodes_room_.is_open_to(hits); --missing, hits = hits_of_stack) {
    const TraceNumber next = insert(caller, frames[missing - 1], 0, &nodes_room_);
    if (next == kNoTrace) break;
    caller = next;
  }
  return missing == 0 ? caller : number_with_gap(caller, frames.front(), anchor);
}

std::uint64_t CallTree::hash_of(TraceNumber caller, Frame frame, std::uint32_t gap) {
  std::uint64_t hash =
      (std::bit_cast<std::uint64_t>(frame) ^ std::uint64_t{gap} << 32) * 0x9E3779B97F4A7C15ull +
      caller;
  hash = (hash ^ hash >> 32) * kHashFactor;
  return hash ^ hash >> 32;
}

void CallTree::prefetch(TraceNumber caller, Frame frame) const {
  __builtin_prefetch(&words_[caller + 1]);
  __builtin_prefetch(&runs_[hash_of(caller, frame, 0) >> 32 & mask_]);
}

TraceNumber CallTree::find_run(std::uint64_t hash, TraceNumber caller, Frame frame,
                               std::uint32_t gap) const {
  // At least a quarter of the table stays empty, so the loop ends.
  for (std::size_t i = hash >> 32 & mask_;; i = (i + 1) & mask_) {
    const std::uint32_t there = runs_[i].load(std::memory_order_acquire);
    if (there == 0) return kNoTrace;
    if ((there ^ static_cast<std::uint32_t>(hash)) >> kNumberBits != 0) continue;
    const TraceNumber number = there & kNumber;
    const std::uint32_t node = word(number);
    if (word(number - 1) == (kCallerWord | caller) && (node & kGap) == gap &&
        frames_[node & kFrame] == frame) {
      return number;
    }
  }
}

// The outer stack of so many frames; kNoTrace: `number` has fewer.
TraceNumber CallTree::outer(TraceNumber number, std::size_t frames) const {
  std::size_t depth = size(number);
  if (depth < frames) return kNoTrace;
  for (; depth > frames; --depth) number = caller(number);
  return number;
}

TraceNumber CallTree::number_with_gap(TraceNumber caller, Frame innermost, TraceNumber anchor) {
  if (caller <= kCutTrace) return kNoTrace;  // not even the outermost frame has a node
  TraceNumber number = gap_below(caller, innermost, gaps_room_);
  if (number != kNoTrace) return number;
  if (anchor == kNoTrace) anchor = outer(caller, kAnchor);
  if (anchor != kNoTrace) {
    number = gap_below(anchor, innermost, gaps_room_);
    caller = anchor;
  }
  if (number != kNoTrace) return number;
  caller = outer(caller, 1);
  number = gap_below(caller, innermost, outermost_gaps_room_);
  if (number != kNoTrace) return number;
  constexpr Frame kAll = {kLeftOutName, kNativeFrameBci};
  number = find(caller, kAll);
  return number != kNoTrace ? number : insert(caller, kAll, 0, nullptr);
}

TraceNumber CallTree::gap_below(TraceNumber caller, Frame innermost, NodeRoom& room) {
  const std::uint64_t hash = hash_of(caller, innermost, kGap);
  const TraceNumber known = find_run(hash, caller, innermost, kGap);
  if (known != kNoTrace) return known;
  const bool open = room.is_open_to(1) || room.is_open_to(seldom_.hit(hash));
  return open ? insert(caller, innermost, kGap, &room) : kNoTrace;
}

TraceNumber CallTree::insert(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room) {
  const std::lock_guard lock(mutex_);
  const TraceNumber known =
      gap == 0 ? find(caller, frame) : find_run(hash_of(caller, frame, gap), caller, frame, gap);
  return known != kNoTrace ? known : append(caller, frame, gap, room);
}

TraceNumber CallTree::append(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room) {
  const TraceNumber last = last_.load(std::memory_order_relaxed);
  const bool goes_on = caller == last && caller > kCutTrace && gap == 0 && !has_gap(caller);
  const TraceNumber number = last + (goes_on ? 1 : 2);
  if (number >= most_ || (!goes_on && 4 * (run_count_ + 1) > 3 * (mask_ + 1))) return kNoTrace;
  const FrameNumber frame_number = frames_.number_of(frame);
  if (frame_number == FrameNumbers::kNone) return kNoTrace;
  if (room != nullptr) room->take(number - last);
  if (!goes_on) words_[number - 1].store(kCallerWord | caller, std::memory_order_release);
  words_[number].store(kNode | gap | frame_number, std::memory_order_release);
  last_.store(number, std::memory_order_release);
  if (goes_on) return number;
  ++run_count_;
  const std::uint64_t hash = hash_of(caller, frame, gap);
  std::size_t at = hash >> 32 & mask_;
  while (runs_[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask_;
  runs_[at].store((static_cast<std::uint32_t>(hash) & ~kNumber) | number,
                  std::memory_order_release);
  return number;
}

std::size_t CallTree::size(TraceNumber number) const {
  std::size_t count = 0;
  for (; number > kCutTrace; number = caller(number)) ++count;
  return count;
}

bool CallTree::cut(TraceNumber number) const {
  while (number > kCutTrace) number = caller(number);
  return number == kCutTrace;
}

std::size_t CallTree::read(TraceNumber number, std::span<Frame> to) const {
  std::size_t count = 0;
  for (; number > kCutTrace && count < to.size(); number = caller(number)) {
    to[count++] = frame(number);
  }
  return count;
}

void CallTree::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  for (const Frame& frame : frames_.all()) used.methods.insert(frame.method);
}

}  // namespace ddm
