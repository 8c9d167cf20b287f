// The holes of a heap map: adjacent free pieces count as one hole, as for an allocation.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "wire/chunks/heap_segments.h"

namespace ddm {

struct HeapHoles {
  std::uint64_t count = 0, bytes = 0, largest = 0;
  // The number of holes by the largest power of two that does not exceed their size.
  std::map<std::uint64_t, std::uint64_t> by_size;

  static HeapHoles of(const std::vector<HeapSegment>& segments);
};

}  // namespace ddm
