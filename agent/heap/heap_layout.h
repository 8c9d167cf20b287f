// The layout of this VM's heap: the collector's spaces, object headers, the decoding of class
// words. From vmStructs; every entry is checked.
//
// detect() in the live phase, any thread. The result is constant for the VM's life.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "heap/region_roles.h"
#include "vm/memory/object_layout.h"

namespace ddm {

enum class Collector { kSerial, kParallel, kG1, kEpsilon };

// Spaces of Serial, Parallel or Epsilon: the address of a pointer to each, and offsets in it.
struct SpaceLayout {
  struct Place {
    std::uintptr_t pointer = 0;
    RegionRole role = RegionRole::kUnknown;
  };
  std::vector<Place> spaces;
  std::uint32_t bottom = 0;
  std::uint32_t top = 0;
  std::uint32_t end = 0;
};

// G1's table of regions.
struct RegionLayout {
  std::uintptr_t table = 0;   // address of the pointer to the array of region pointers
  std::uintptr_t length = 0;  // address of its length, uncommitted regions included
  std::uint32_t bottom = 0;   // offsets in a region
  std::uint32_t top = 0;
  std::uint32_t end = 0;
  std::uint32_t type = 0;
  std::uint32_t free_tag = 0;  // values of the type
  std::uint32_t humongous_tag = 0;
  std::uint32_t continues_tag = 0;
  RegionRoles roles;
  std::uint64_t bytes = 0;  // of a region; 0: unknown
};

struct HeapLayout {
  Collector collector = Collector::kG1;
  std::uintptr_t base = 0;  // of the reserved heap
  std::uint64_t reserved_bytes = 0;
  ObjectLayout objects;
  KlassLayout klasses;
  SpaceLayout spaces;
  RegionLayout regions;

  // The error: why this heap cannot be walked, as the end of a sentence for the log.
  static Result<HeapLayout> detect();
};

}  // namespace ddm
