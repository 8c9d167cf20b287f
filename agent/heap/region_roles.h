// The roles of G1's regions, by their type tags.
//
//   free 0 | eden: the young bit | survivor: eden + 1 | starts humongous | continues humongous: + 1 |
//   old: a bit | before JDK 22, archive: a bit
//
// The tags are from vmStructs. They are trusted if they have these relations, and in each map only
// if an object that the agent has just allocated is in a young region (heap_pause.h).
#pragma once

#include <cstdint>

#include "wire/chunks/heap_regions.h"

namespace ddm {

struct RegionRoles {
  std::uint32_t eden = 0;
  std::uint32_t survivor = 0;
  std::uint32_t humongous = 0;
  std::uint32_t old_bit = 0;
  std::uint32_t archive_bit = 0;  // 0: this VM has no archive regions

  RegionRole of(std::uint32_t type) const noexcept;
  // Without these relations all roles are kUnknown, which is logged.
  static RegionRoles detect();
};

// The size of a G1 region in bytes; 0: unknown.
std::uint64_t g1_region_bytes();

}  // namespace ddm
