// Memory below the top of a space in which nothing lies that a walk could read.
#pragma once

#include <cstdint>
#include <vector>

#include "heap/walk/heap_space.h"

namespace ddm {

struct HeapHole {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The spaces cut in two at each hole, which becomes free memory at the end of the first half. Sorts
// the holes. No allocation: `pieces` has room for as many as there are spaces and holes. False: a
// hole lies in no space, or two in one place.
bool cut_at(std::vector<HeapHole>& holes, const std::vector<HeapSpace>& spaces,
            std::vector<HeapSpace>& pieces) noexcept;

}  // namespace ddm
