// Encodes ranges of memory, in order of address, as HPSG, HPSO or NHSG chunks.
//
// Positions are 64-bit byte offsets from the heap's base. The wire has 32 bits, so each 4 GiB are a
// heap of their own (ids 1, 2, ...), and `start` is the position within it. A segment ends at a
// gap, at a 4 GiB boundary and when its chunk is full; the next one has its own start and offset 0,
// as in real VMs, since servers disagree on the unit of the offset.
//
// An object that crosses a 4 GiB boundary becomes two. A unit that several ranges share gets the
// state of the range that covers its last byte; a range in the middle of a unit is lost.
//
// Not thread-safe; the sink is called from add() and finish().
#pragma once

#include <functional>

#include "wire/chunks/heap_segments.h"

namespace ddm {

class HeapMapWriter {
 public:
  // `type`: kMergedSegment, kObjectSegment or kNativeSegment. `unit`: bytes, 1 to 127.
  HeapMapWriter(ChunkType type, std::uint8_t unit, std::function<void(Chunk)> sink);

  // `state` without kPartialBit. In HPSO each call is one object, or one free range; the other
  // types merge adjacent ranges of equal state.
  void add(std::uint64_t position, std::uint64_t bytes, std::uint8_t state);

  // Sends the pending segment. The writer can then be used again.
  void finish();

 private:
  void begin_segment(std::uint64_t unit_index);
  void end_run();
  void break_segment();
  void end_segment();
  void extend(std::uint64_t units, std::uint8_t state);

  const ChunkType type_;
  const std::uint8_t unit_;
  const std::function<void(Chunk)> sink_;

  bool in_segment_ = false;
  std::uint64_t end_ = 0;        // position after the last range
  std::uint64_t next_unit_ = 0;  // index of the first unit not yet in a run
  std::uint8_t last_state_ = 0;  // of the last range, for the unit that it covers in part
  HeapRun run_;                  // not yet encoded as pairs
  HeapSegment segment_;
};

}  // namespace ddm
