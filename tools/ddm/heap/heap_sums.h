// Sums over a heap map. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "wire/chunks/heap_regions.h"
#include "wire/chunks/heap_segments.h"

namespace ddm {

// Its holes: adjacent free pieces count as one hole, as for an allocation.
struct HeapHoles {
  std::uint64_t count = 0, bytes = 0, largest = 0;
  // The number of holes by the largest power of two that does not exceed their size.
  std::map<std::uint64_t, std::uint64_t> by_size;

  static HeapHoles of(const std::vector<HeapSegment>& segments);
};

// Its regions: by role, the bytes lost behind humongous objects, and the largest object that fits.
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
