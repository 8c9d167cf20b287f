// Makes HPSG, HPSO or NHSG chunks out of stretches of memory in the order of their addresses.
//
// Positions are bytes from the heap's base, 64 bits. What the wire has no room for is cut up:
// each 4 GiB are a heap of their own (ids 1, 2, ...), start is the position within it. A segment
// ends at a gap, at the next 4 GiB and when its chunk is full; the next one has a start of its own
// and offset 0, as real VMs do, since servers do not agree on the unit of the offset.
//
// An object that reaches into the next 4 GiB becomes two there. A unit that several stretches share
// has the state of the one that covers its last byte; a stretch in the middle of a unit leaves no
// trace.
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

  // `state` without kPartialBit. In HPSO one call is one object, and free space one stretch; the
  // others merge neighbours of the same state.
  void add(std::uint64_t position, std::uint64_t bytes, std::uint8_t state);

  // Sends what is left. The writer is then as good as new.
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
  std::uint64_t end_ = 0;        // position behind the last stretch
  std::uint64_t next_unit_ = 0;  // index of the unit behind the last one written
  std::uint8_t last_state_ = 0;  // of the last stretch, for the unit it only begins
  HeapRun run_;                  // not yet written as pairs
  HeapSegment segment_;
};

}  // namespace ddm
