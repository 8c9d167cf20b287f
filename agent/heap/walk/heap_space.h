// A piece of heap without holes: a region of G1 (a humongous object's regions are one), a space of
// the others.
#pragma once

#include <cstdint>

#include "wire/chunks/heap_regions.h"

namespace ddm {

struct HeapSpace {
  std::uintptr_t bottom = 0;
  std::uintptr_t top = 0;    // objects begin below
  std::uintptr_t limit = 0;  // and end here at the latest; a humongous one lies across regions
  std::uintptr_t end = 0;    // free memory up to here
  bool free_region = false;  // of G1: empty, and perhaps not committed any more
  RegionRole role = RegionRole::kUnknown;
};

}  // namespace ddm
