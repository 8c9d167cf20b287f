// The free space of a heap map, as allocation finds it: one piece where pieces lie side by side.
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
  // By the largest power of two that is not above their size: how many.
  std::map<std::uint64_t, std::uint64_t> by_size;

  static HeapHoles of(const std::vector<HeapSegment>& segments);
};

}  // namespace ddm
