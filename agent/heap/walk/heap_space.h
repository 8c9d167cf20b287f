// A part of the heap without holes: a region of G1 (a humongous object's regions count as one), or a
// space of another collector.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/chunks/heap_regions.h"

namespace ddm {

struct HeapSpace {
  std::uintptr_t bottom = 0;
  std::uintptr_t top = 0;    // all objects begin below
  std::uintptr_t limit = 0;  // all objects end here at the latest; a humongous one spans regions
  std::uintptr_t end = 0;    // free memory up to here
  bool free_region = false;  // of G1: empty, possibly uncommitted
  RegionRole role = RegionRole::kUnknown;
};

// Memory below the top of a space that contains no objects.
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
