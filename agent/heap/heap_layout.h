// The layout of this VM's heap: the collector's spaces, object headers, the decoding of class
// words. From vmStructs; every entry is checked.
//
// detect() in the live phase, any thread. The result is constant for the VM's life.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "vm/memory/object_layout.h"
#include "wire/chunks/heap_regions.h"

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

// The roles of G1's regions, by their type tags.
//
//   free 0 | eden: the young bit | survivor: eden + 1 | starts humongous | continues humongous: + 1 |
//   old: a bit | before JDK 22, archive: a bit
//
// The tags are from vmStructs. They are trusted if they have these relations, and in each map only
// if an object that the agent has just allocated is in a young region (heap_pause.h).
struct RegionRoles {
  std::uint32_t eden = 0;
  std::uint32_t survivor = 0;
  std::uint32_t humongous = 0;
  std::uint32_t old_bit = 0;
  std::uint32_t archive_bit = 0;  // 0: this VM has no archive regions

  RegionRole of(std::uint32_t type) const noexcept;
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
