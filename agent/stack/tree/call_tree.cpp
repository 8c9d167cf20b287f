#include "stack/tree/call_tree.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace ddm {
namespace {

std::atomic<std::uint32_t> last_id{0};

constexpr std::uint64_t kHashFactor = 0xD6E8FEB86659FD93ull;

// The bit of a node's filter for a callee with this hash.
std::uint32_t filter_of(std::uint64_t hash) { return 1u << (FrameNumbers::kBits + hash % 8); }

}  // namespace

std::unique_ptr<CallTree> CallTree::create(std::uint32_t stacks, std::uint32_t depth) {
  if (stacks < 1 || stacks > kMaxTraces || depth < 1 || depth > kMaxTreeDepth) return nullptr;
  std::unique_ptr<CallTree> tree(new CallTree(kWordsOfStack * stacks, depth));
  const bool good = tree->words_.good() && tree->runs_.good() && tree->frames_.good() &&
                    tree->seldom_.good() && tree->seldom_gaps_.good();
  if (!good) return nullptr;
  // The word before kEmptyTrace and kCutTrace holds their caller; no run continues after these.
  tree->words_[kNoTrace] = NodeWord::kCaller | kNoTrace;
  tree->words_[kEmptyTrace] = NodeWord::kCaller | kEmptyTrace;
  tree->words_[kCutTrace] = NodeWord::kCaller;
  return tree;
}

// A fifth of javac's words are callers'. If half were, a quarter of the table would be empty. Gaps
// below outermost frames have two parts of the room for gaps, those below any other caller one.
CallTree::CallTree(std::uint32_t words, std::uint32_t depth)
    : id_(++last_id),
      most_(most_of(words / kWordsOfStack)),
      depth_(depth),
      mask_(std::bit_ceil(std::max<std::size_t>(words / 8 * 3, 2 * kForOutermost)) - 1),
      words_(std::size_t{most_} + 1),
      runs_(mask_ + 1, ReservedArray<Word>::Pages::kHuge),
      nodes_room_(words - words / kGapShare),
      gaps_room_(words / kGapShare / kGapParts),
      outermost_gaps_room_(2 * words / kGapShare / kGapParts),
      anchor_gaps_room_{
          NodeRoom(words / kGapShare / kGapParts), NodeRoom(words / kGapShare / kGapParts),
          NodeRoom(words / kGapShare / kGapParts), NodeRoom(words / kGapShare / kGapParts),
          NodeRoom(words / kGapShare / kGapParts)} {}

TraceNumber CallTree::number_of(std::span<const Frame> frames) {
  const bool cut = frames.size() > depth_;
  if (cut) frames = frames.first(depth_);
  TraceNumber number = cut ? kCutTrace : kEmptyTrace;
  const std::size_t missing = descend(number, frames, nullptr);
  if (missing == 0) return number;
  return number_missing(number, frames.first(missing), outer(number, frames.size() - missing), 1);
}

std::size_t CallTree::descend(TraceNumber& caller, std::span<const Frame> frames,
                              TraceNumber* nodes) {
  for (std::size_t missing = frames.size(); missing > 0; --missing) {
    const TraceNumber next = find(caller, frames[missing - 1]);
    if (next == kNoTrace) return extend(caller, frames.first(missing), nodes);
    caller = next;
    if (nodes != nullptr) nodes[missing - 1] = next;
  }
  return 0;
}

// Another thread may have added nodes since the tree was searched. Below a node that is new nothing
// is looked up, since it has no callees.
std::size_t CallTree::extend(TraceNumber& caller, std::span<const Frame> frames,
                             TraceNumber* nodes) {
  std::size_t missing = frames.size();
  // Outermost frames of threads get nodes outside of the shares, while any are left.
  const auto room_below = [&](TraceNumber number) {
    return nodes_room_.is_open_to(1) || number <= kCutTrace;
  };
  if (!room_below(caller)) return missing;
  const std::lock_guard lock(mutex_);
  for (const Frame frame : frames) frames_.prefetch(frame);
  bool is_new = false;
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

TraceNumber CallTree::number_missing(TraceNumber caller, std::span<const Frame> frames, Outer outer,
                                     std::uint32_t hits) {
  if (hits == 0) return number_with_gap(caller, frames.front(), outer, 0);
  std::size_t missing = frames.size();
  const std::uint64_t hash = hash_of(caller, frames[missing - 1], 0);
  seldom_.prefetch(hash);
  __builtin_prefetch(&runs_[hash_of(caller, frames.front(), NodeWord::kGap) >> 32 & mask_]);
  std::uint64_t hash_of_stack = hash;
  for (std::size_t i = missing - 1; i-- > 0;) {
    hash_of_stack ^= hash_of_stack >> 32 ^ std::bit_cast<std::uint64_t>(frames[i]);
    hash_of_stack *= kHashFactor;
  }
  hash_of_stack ^= hash_of_stack >> 32;
  seldom_.prefetch(hash_of_stack);
  std::uint32_t so_far = seldom_.hit(hash, hits);
  const std::uint32_t of_stack = missing > 1 ? seldom_.hit(hash_of_stack, hits) : so_far;
  for (; missing > 0 && nodes_room_.is_open_to(so_far); --missing, so_far = of_stack) {
    const TraceNumber next = insert(caller, frames[missing - 1], 0, &nodes_room_);
    if (next == kNoTrace) break;
    if (outer.first == kNoTrace) outer.first = next;
    caller = next;
  }
  return missing == 0 ? caller : number_with_gap(caller, frames.front(), outer, hits);
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

// kEmptyTrace and kCutTrace are no nodes and have no flags.
inline bool CallTree::has(TraceNumber caller, std::uint32_t flag) const {
  return caller <= kCutTrace || (word(caller) & flag) != 0;
}

inline TraceNumber CallTree::find(TraceNumber caller, Frame frame) const {
  const std::uint32_t next = word(caller + 1);
  if ((next & (NodeWord::kCaller | NodeWord::kGap | NodeWord::kNode)) == NodeWord::kNode &&
      frames_[next & NodeWord::kFrame] == frame) {
    return caller + 1;
  }
  const std::uint64_t hash = hash_of(caller, frame, 0);
  return has(caller, filter_of(hash)) ? find_run(hash, caller, frame, 0) : kNoTrace;
}

inline TraceNumber CallTree::find_gap(TraceNumber caller, Frame innermost) const {
  if (!has(caller, NodeWord::kHasGaps)) return kNoTrace;
  return find_run(hash_of(caller, innermost, NodeWord::kGap), caller, innermost, NodeWord::kGap);
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
    if (word(number - 1) == (NodeWord::kCaller | caller) && (node & NodeWord::kGap) == gap &&
        frames_[node & NodeWord::kFrame] == frame) {
      return number;
    }
  }
}

CallTree::Outer CallTree::outer(TraceNumber number, std::size_t depth) const {
  Outer result;
  for (; number > kCutTrace; number = caller(number), --depth) {
    const auto anchor = std::ranges::find(kAnchors, depth);
    if (anchor != kAnchors.end()) result.anchors[anchor - kAnchors.begin()] = number;
    result.first = number;
  }
  return result;
}

// Gaps of the deepest caller have no hits: a stack that recurs often gets all of its nodes.
TraceNumber CallTree::number_with_gap(TraceNumber caller, Frame innermost, const Outer& outer,
                                      std::uint32_t hits) {
  if (outer.first == kNoTrace) return kNoTrace;  // not even the outermost frame has a node
  TraceNumber number = gap_below(caller, innermost, gaps_room_, 0);
  for (std::size_t i = 0; i < kAnchors.size() && number == kNoTrace; ++i) {
    const TraceNumber anchor = outer.anchors[i];
    if (anchor != kNoTrace) number = gap_below(anchor, innermost, anchor_gaps_room_[i], hits);
  }
  if (number != kNoTrace) return number;
  number = gap_below(outer.first, innermost, outermost_gaps_room_, hits);
  if (number != kNoTrace) return number;
  constexpr Frame kAll = {kLeftOutName, kNativeFrameBci};
  number = find(outer.first, kAll);
  return number != kNoTrace ? number : insert(outer.first, kAll, 0, nullptr);
}

TraceNumber CallTree::gap_below(TraceNumber caller, Frame innermost, NodeRoom& room,
                                std::uint32_t hits) {
  const TraceNumber known = find_gap(caller, innermost);
  if (known != kNoTrace) return known;
  const auto is_frequent = [&] {
    return hits > 0 &&
           room.is_open_to(seldom_gaps_.hit(hash_of(caller, innermost, NodeWord::kGap), hits));
  };
  return room.is_open_to(1) || is_frequent() ? insert(caller, innermost, NodeWord::kGap, &room)
                                             : kNoTrace;
}

TraceNumber CallTree::insert(TraceNumber caller, Frame frame, std::uint32_t gap, NodeRoom* room) {
  const std::lock_guard lock(mutex_);
  const TraceNumber known = gap == 0 ? find(caller, frame) : find_gap(caller, frame);
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
  copy_.put(number, NodeWord::kNode | gap | frame_number, frame);
  if (!goes_on) {
    copy_.put_caller(number - 1, caller);
    words_[number - 1].store(NodeWord::kCaller | caller, std::memory_order_release);
  }
  words_[number].store(NodeWord::kNode | gap | frame_number, std::memory_order_release);
  last_.store(number, std::memory_order_release);
  if (goes_on) return number;
  ++run_count_;
  const std::uint64_t hash = hash_of(caller, frame, gap);
  std::size_t at = hash >> 32 & mask_;
  while (runs_[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask_;
  if (caller > kCutTrace) {
    words_[caller].fetch_or(gap == 0 ? filter_of(hash) : NodeWord::kHasGaps,
                            std::memory_order_release);
  }
  runs_[at].store((static_cast<std::uint32_t>(hash) & ~kNumber) | number,
                  std::memory_order_release);
  return number;
}

// Whatever a damaged copy contains, callers have nodes, smaller numbers, and fewer frames.
std::unique_ptr<CallTree> CallTree::read_only(const TreeCopy& copy,
                                              const std::function<Frame(Frame)>& translate) {
  const auto end =
      static_cast<TraceNumber>(std::min<std::size_t>(copy.nodes(), most_of(kMaxTraces)));
  auto tree = create(std::clamp(end / kWordsOfStack, 1u, kMaxTraces), kMaxTreeDepth);
  if (!tree) return nullptr;
  std::vector<FrameNumber> numbers(copy.frames(), FrameNumbers::kNone);
  std::vector<std::uint16_t> depths(end);  // 0: no node
  for (TraceNumber number = kCutTrace + 1; number < end; ++number) {
    const std::uint32_t word = copy.word(number);
    if ((word & NodeWord::kCaller) != 0) {
      const TraceNumber caller = word & ~NodeWord::kCaller;
      tree->words_[number] = caller < number ? word : NodeWord::kCaller;
      continue;
    }
    const std::uint32_t of_copy = word & NodeWord::kFrame;
    if ((word & NodeWord::kNode) == 0 || of_copy >= numbers.size()) continue;
    const TraceNumber caller = tree->caller(number);
    const bool outermost = caller == kEmptyTrace || caller == kCutTrace;
    if ((!outermost && depths[caller] == 0) || depths[caller] == kMaxTreeDepth) continue;
    if (numbers[of_copy] == FrameNumbers::kNone) {
      numbers[of_copy] = tree->frames_.number_of(translate(copy.frame(of_copy)));
      if (numbers[of_copy] == FrameNumbers::kNone) continue;
    }
    depths[number] = static_cast<std::uint16_t>(depths[caller] + 1);
    tree->words_[number] = NodeWord::kNode | (word & NodeWord::kGap) | numbers[of_copy];
    tree->last_ = number;
  }
  return tree;
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

void CallTree::copy_to(const TreeCopy& copy) {
  const std::lock_guard lock(mutex_);
  copy_ = copy;
}

void CallTree::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  for (const Frame& frame : frames_.all()) used.methods.insert(frame.method);
}

}  // namespace ddm
