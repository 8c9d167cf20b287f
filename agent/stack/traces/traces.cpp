#include "stack/traces/traces.h"

#include <algorithm>
#include <bit>

namespace ddm {
namespace {

// Of the innermost frames that a shortened stack keeps, and of no whole stack. A frame's part of it
// does not wait for the one before.
std::uint64_t short_hash(std::span<const Frame> frames) {
  std::uint64_t hash = frames.size();
  std::uint64_t place = 0;
  for (const Frame& frame : frames) {
    place += 0x9E3779B97F4A7C15ull;
    std::uint64_t term = (std::bit_cast<std::uint64_t>(frame) ^ place) * 0xD6E8FEB86659FD93ull;
    term ^= term >> 32;
    term *= 0xC2B2AE3D27D4EB4Full;
    hash += term ^ term >> 29;
  }
  return hash ^ hash >> 32;
}

}  // namespace

std::unique_ptr<Traces> Traces::create(std::uint32_t most, std::uint32_t depth) {
  if (most < 1 || most > kMaxTraces || depth < 1 || depth > kMaxDepth) return nullptr;
  std::unique_ptr<Traces> traces(new Traces(most, depth));
  const bool good = traces->slots_.good() && traces->seldom_.good() && traces->ends_.good() &&
                    traces->stacks_.good() && traces->frames_.good() && traces->frame_slots_.good();
  return good ? std::move(traces) : nullptr;
}

Traces::Traces(std::uint32_t most, std::uint32_t depth)
    : most_(most),
      depth_(depth),
      mask_(2 * std::bit_ceil(std::size_t{most}) - 1),
      slots_(mask_ + 1, ReservedArray<Slot>::Pages::kHuge),
      ends_(std::size_t{most} + kEmptyTrace + 1),
      stacks_(std::size_t{most} * depth),
      frames_(kMostFrames),
      frame_slots_(2 * kMostFrames) {
  std::uint32_t left = most;
  for (std::size_t i = 0; i < kShortDepths.size(); ++i) {
    const std::uint32_t size = depth > kShortDepths[i] ? most / kShortShares[i] : 0;
    shortened_[i].set_size(size);
    left -= size;
  }
  in_full_.set_size(left);
}

TraceNumber Traces::number_of_new(std::uint64_t hash, std::span<const Frame> frames) {
  const std::size_t kept = std::min<std::size_t>(frames.size(), depth_);
  SeldomStacks::Known seldom = seldom_.find(hash);
  seldom.hits = std::max<std::uint32_t>(seldom.hits, 1);
  if (in_full_.is_open_to(seldom.hits)) {
    const bool cut = frames.size() > depth_;
    const TraceNumber number = insert(hash, frames.first(kept), cut ? kCut : 0, in_full_);
    if (number != kNoTrace) {
      seldom_.forget(hash);
      return number;
    }
  }
  if (seldom.shortened == kNoTrace) {
    seldom.shortened = number_of_shortened(frames.first(kept));
    seldom_.put(hash, seldom);
  }
  return seldom.shortened;
}

TraceNumber Traces::number_of_shortened(std::span<const Frame> frames) {
  TraceNumber number = kNoTrace;
  for (std::size_t i = 0; number == kNoTrace && i < kShortDepths.size(); ++i) {
    if (frames.size() <= kShortDepths[i]) continue;
    const auto innermost = frames.first(kShortDepths[i]);
    const std::uint64_t of_these = short_hash(innermost);
    number = find(of_these);
    if (number != kNoTrace) break;
    std::uint32_t hits = 1;
    if (!shortened_[i].is_open_to(hits)) {
      hits = seldom_.hit(of_these).hits;
      if (hits == 0) seldom_.put(of_these, {1, kNoTrace});
    }
    if (shortened_[i].is_open_to(hits)) {
      number = insert(of_these, innermost, kCut | kShortened, shortened_[i]);
    }
  }
  return number;
}

TraceNumber Traces::insert(std::uint64_t hash, std::span<const Frame> frames, std::uint32_t flags,
                           TraceRoom& room) {
  if (full_.load(std::memory_order_relaxed)) return kNoTrace;
  const std::lock_guard lock(mutex_);
  std::size_t at = hash & mask_;
  for (;; at = (at + 1) & mask_) {
    const std::uint64_t there = slots_[at].load(std::memory_order_relaxed);
    if (there == 0) break;
    if (TraceWord::is_of(there, hash)) return TraceWord::number(there);
  }
  if (!room.has_left()) return kNoTrace;
  const TraceNumber number = last_.load(std::memory_order_relaxed) + 1;
  std::uint32_t end = ends_[number - 1] & kEnd;
  for (const Frame& frame : frames) {
    const FrameNumber frame_number = number_of_frame(frame);
    if (frame_number == kMostFrames) {
      full_.store(true, std::memory_order_relaxed);
      return kNoTrace;
    }
    stacks_[end++] = frame_number;
  }
  ends_[number] = end | flags;
  last_.store(number, std::memory_order_relaxed);
  room.take();
  slots_[at].store(TraceWord::of(hash, number), std::memory_order_release);
  return number;
}

Traces::FrameNumber Traces::number_of_frame(Frame frame) {
  std::size_t at = slot_of_frame(frame);
  if (frame_slots_[at].number != 0) return frame_slots_[at].number - 1;
  if (frame_count_ == kMostFrames) return kMostFrames;
  if (2 * std::size_t{frame_count_} > frame_mask_) {
    widen_frame_slots();
    at = slot_of_frame(frame);
  }
  frames_[frame_count_] = frame;
  frame_slots_[at] = {frame, ++frame_count_};
  return frame_count_ - 1;
}

std::size_t Traces::slot_of_frame(Frame frame) const {
  const auto bits = std::bit_cast<std::uint64_t>(frame);
  for (std::size_t i = (bits * 0x9E3779B97F4A7C15ull) >> 40;; ++i) {
    const FrameSlot& there = frame_slots_[i & frame_mask_];
    if (there.number == 0 || there.frame == frame) return i & frame_mask_;
  }
}

void Traces::widen_frame_slots() {
  std::fill_n(&frame_slots_[0], frame_mask_ + 1, FrameSlot{});
  frame_mask_ = std::min(4 * (frame_mask_ + 1), frame_slots_.size()) - 1;
  for (std::uint32_t i = 0; i < frame_count_; ++i) {
    frame_slots_[slot_of_frame(frames_[i])] = {frames_[i], i + 1};
  }
}

std::size_t Traces::read(TraceNumber number, std::span<Frame> to) const {
  if (number <= kEmptyTrace) return 0;
  const std::size_t begin = ends_[number - 1] & kEnd;
  const std::size_t count = std::min((ends_[number] & kEnd) - begin, to.size());
  for (std::size_t i = 0; i < count; ++i) to[i] = frames_[stacks_[begin + i]];
  return count;
}

std::uint32_t Traces::count() const {
  const std::lock_guard lock(mutex_);
  return last_.load(std::memory_order_relaxed) - kEmptyTrace;
}

void Traces::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < frame_count_; ++i) used.methods.insert(frames_[i].method);
}

}  // namespace ddm
