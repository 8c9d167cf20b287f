// One recorded allocation: raw facts, no names, no JVM types.
//
// Every field is a measurement (size, time) or an id that NameTable / ThreadNames resolve for
// readers. Records are plain bytes: they are copied into the ring, written to files and sent over
// the wire unchanged.
#pragma once

#include <cstdint>

#include "stack/frame.h"

namespace ddm {

inline constexpr std::uint16_t kStackTruncated = 1;  // the stack had more frames than are kept
// Only inside a ring: the frames are not stored, but are those of `trace` in `tree`.
inline constexpr std::uint16_t kFramesOfTrace = 2;

struct AllocRecord {
  std::uint64_t seq = 0;       // 1, 2, 3, ... in the order of recording
  std::int64_t time_ms = 0;    // wall clock, milliseconds since the epoch
  std::int64_t size = 0;       // exact shallow size in the heap, bytes
  std::int64_t thread_id = 0;  // java.lang.Thread.getId()
  NameId class_id = kUnknownName;
  std::uint16_t frame_count = 0;
  std::uint16_t flags = 0;  // kStackTruncated
  float weight = 1;         // number of allocations that it represents: > 1 in a sample
  std::uint32_t book = 0;   // number of the book that counts it (a virtual thread's carrier's)
  std::uint32_t trace = 0;  // number of the stack, see CallTree; 0: none
  std::uint32_t tree = 0;   // that CallTree's id(); only inside a ring

  // Bytes that the record represents.
  double weighted_bytes() const { return static_cast<double>(size) * double{weight}; }
};

inline constexpr std::uint32_t kDefaultRecords = 65536;
inline constexpr std::uint32_t kMaxRecords = 1u << 20;
inline constexpr std::uint32_t kDefaultDepth = 16;

}  // namespace ddm
