// Memory below the top of a space that contains no objects.
#pragma once

#include <cstdint>
#include <vector>

#include "heap/walk/heap_space.h"

namespace ddm {

struct HeapHole {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// Splits the spaces at each hole, which becomes free memory at the end of the first part. Sorts the
// holes. No allocation: `pieces` has capacity for all spaces and holes. False: a hole lies in no
// space, or two holes overlap.
bool cut_at(std::vector<HeapHole>& holes, const std::vector<HeapSpace>& spaces,
            std::vector<HeapSpace>& pieces) noexcept;

}  // namespace ddm
