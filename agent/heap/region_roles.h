// The roles of G1's regions, by their type tags.
//
//   free 0; eden = the bit of the young, survivor = the next number; humongous, and the next number
//   where one goes on; a bit of the old; before JDK 22 a bit of those of the class data archive
//
// The VM's tables have these tags. They are trusted if they relate to each other like that, and in
// each map only if an object that the agent has just allocated is in a young region (heap_pause.h).
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
  // If the tags do not relate like that, all roles are kUnknown, and the log says so.
  static RegionRoles detect();
};

// The size of a G1 region in bytes, or 0.
std::uint64_t g1_region_bytes();

}  // namespace ddm
