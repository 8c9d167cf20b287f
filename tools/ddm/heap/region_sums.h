// Sums over the regions of a heap: by role, the bytes lost behind humongous objects, and the
// largest object that fits.
//
// Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "wire/chunks/heap_regions.h"

namespace ddm {

struct RegionSums {
  struct Sum {
    std::uint64_t regions = 0, bytes = 0, used = 0;
  };
  static constexpr std::size_t kRoles = static_cast<std::size_t>(RegionRole::kLargePage) + 1;

  std::array<Sum, kRoles> by_role{};
  std::uint64_t humongous_waste = 0;  // unused bytes of their last regions
  // Empty regions side by side, in which one object would have room; 0 where a heap has no regions.
  std::uint64_t widest_free = 0, widest_free_regions = 0;

  static RegionSums of(std::span<const HeapRegion> regions);
  const Sum& of(RegionRole role) const { return by_role[static_cast<std::size_t>(role)]; }
};

}  // namespace ddm
