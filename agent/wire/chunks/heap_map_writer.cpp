#include "wire/chunks/heap_map_writer.h"

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxRunLength = 256;

// About the size of Dalvik's chunks. With units of at most 127 bytes such a segment stays far below
// 2 GiB, the limit of real servers.
constexpr std::size_t kMaxPairBytes = 16'000;

}  // namespace

HeapMapWriter::HeapMapWriter(ChunkType type, std::uint8_t unit, std::function<void(Chunk)> sink)
    : type_(type), unit_(std::clamp<std::uint8_t>(unit, 1, 127)), sink_(std::move(sink)) {}

void HeapMapWriter::add(std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
  if (bytes == 0) return;
  if (!in_segment_ || position != end_) {
    finish();
    begin_segment(position / unit_);
  }
  end_ = position + bytes;
  last_state_ = state;
  if (type_ == kObjectSegment || state != run_.state) end_run();
  const std::uint64_t end_unit = end_ / unit_;
  if (end_unit > next_unit_) extend(end_unit - next_unit_, state);
}

void HeapMapWriter::finish() {
  if (!in_segment_) return;
  if (end_ > next_unit_ * unit_) extend(1, last_state_);  // the last partial unit is rounded up
  end_segment();
}

void HeapMapWriter::begin_segment(std::uint64_t unit_index) {
  const std::uint64_t position = unit_index * unit_;
  segment_ = {};
  segment_.heap_id = static_cast<std::uint32_t>(position / kSliceBytes + 1);
  segment_.unit = unit_;
  segment_.start = static_cast<std::uint32_t>(position % kSliceBytes);
  next_unit_ = unit_index;
  run_ = {};
  in_segment_ = true;
}

void HeapMapWriter::extend(std::uint64_t units, std::uint8_t state) {
  while (units > 0) {
    const std::uint64_t slice = next_unit_ * unit_ / kSliceBytes;
    if (slice + 1 != segment_.heap_id) {
      end_segment();
      begin_segment(next_unit_);
    }
    // Up to the first unit that begins in the next 4 GiB.
    const std::uint64_t slice_end = ((slice + 1) * kSliceBytes + unit_ - 1) / unit_;
    const std::uint64_t part = std::min(units, slice_end - next_unit_);
    run_.state = state;
    run_.units += part;
    next_unit_ += part;
    units -= part;
  }
}

void HeapMapWriter::end_run() {
  // An object must end in the segment that it begins in, however long that gets; any other run may
  // continue in the next segment.
  const bool whole = type_ == kObjectSegment && run_.state != kFreeState;
  const std::size_t needed = (run_.units + kMaxRunLength - 1) / kMaxRunLength * 2;
  if (whole && segment_.pairs.size() + needed > kMaxPairBytes) break_segment();
  while (run_.units > 0) {
    if (!whole && segment_.pairs.size() >= kMaxPairBytes) break_segment();
    const std::uint64_t length = std::min(run_.units, kMaxRunLength);
    run_.units -= length;
    segment_.pairs.push_back(
        static_cast<std::uint8_t>(run_.state | (whole && run_.units > 0 ? kPartialBit : 0)));
    segment_.pairs.push_back(static_cast<std::uint8_t>(length - 1));
    segment_.units += static_cast<std::uint32_t>(length);
  }
}

void HeapMapWriter::break_segment() {
  const HeapRun rest = std::exchange(run_, {});
  const std::uint64_t next = next_unit_;
  end_segment();
  begin_segment(next - rest.units);
  next_unit_ = next;
  run_ = rest;
}

void HeapMapWriter::end_segment() {
  end_run();
  if (!segment_.pairs.empty()) sink_({type_, encode(segment_)});
  in_segment_ = false;
}

}  // namespace ddm
