// What one allocation leaves behind: raw facts, no names, no JVM types.
//
// Every number here is either a measurement (size, time) or an id that NameTable / ThreadNames
// turn into text when somebody reads. Records are plain bytes: they are copied under the ring's
// lock, written to files and sent over the wire as they are.
#pragma once

#include <cstdint>

#include "stack/frame.h"

namespace ddm {

inline constexpr std::uint16_t kStackTruncated = 1;  // the thread had more frames than were kept

struct AllocRecord {
  std::uint64_t seq = 0;       // 1, 2, 3, ... in the order of recording
  std::int64_t time_ms = 0;    // wall clock, milliseconds since the epoch
  std::int64_t size = 0;       // exact shallow size in the heap, bytes
  std::int64_t thread_id = 0;  // java.lang.Thread.getId()
  NameId class_id = kUnknownName;
  std::uint16_t frame_count = 0;
  std::uint16_t flags = 0;  // kStackTruncated
  float weight = 1;         // allocations that this one stands for: more than 1 in a sample
  std::uint32_t book = 0;  // the thread's totals that it counts in (a carrier's, for a virtual one)
  std::uint32_t trace = 0;  // of the stack, see CallTree; 0: none
  std::uint32_t unused = 0;

  // Bytes that the record stands for.
  double weighted_bytes() const { return static_cast<double>(size) * double{weight}; }
};

inline constexpr std::uint32_t kDefaultRecords = 65536;
inline constexpr std::uint32_t kMaxRecords = 1u << 20;
inline constexpr std::uint32_t kDefaultDepth = 16;

}  // namespace ddm
