// What G1's regions are for, by the number that each has of its kind.
//
//   free 0; eden = the bit of the young, survivor = the next number; humongous, and the next number
//   where one goes on; a bit of the old; before JDK 22 a bit of those of the class data archive
//
// The VM's tables have these numbers; they are believed if they hang together like that, and in
// each map only if the object that the agent has just made lies in a young region (heap_pause.h).
#pragma once

#include <cstdint>

#include "wire/chunks/heap_regions.h"

namespace ddm {

struct RegionRoles {
  std::uint32_t eden = 0;
  std::uint32_t survivor = 0;
  std::uint32_t humongous = 0;
  std::uint32_t old_bit = 0;
  std::uint32_t archive_bit = 0;  // 0: this VM has none

  RegionRole of(std::uint32_t type) const noexcept;
  // kUnknown for everything, with a line in the log, where the tables make no sense.
  static RegionRoles detect();
};

// Bytes of a region of G1, or 0.
std::uint64_t g1_region_bytes();

}  // namespace ddm
