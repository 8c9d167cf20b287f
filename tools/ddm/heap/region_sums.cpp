#include "heap/region_sums.h"

namespace ddm {

RegionSums RegionSums::of(std::span<const HeapRegion> regions) {
  RegionSums sums;
  std::uint64_t end = 0, wide = 0, count = 0;
  for (const HeapRegion& region : regions) {
    const auto role = static_cast<std::size_t>(region.role);
    Sum& sum = sums.by_role[role < kRoles ? role : 0];
    ++sum.regions;
    sum.bytes += region.bytes;
    sum.used += region.used;
    if (region.role == RegionRole::kHumongous) sums.humongous_waste += region.bytes - region.used;
    if (region.role != RegionRole::kFree || region.position != end) wide = count = 0;
    if (region.role == RegionRole::kFree) {
      wide += region.bytes;
      ++count;
    }
    if (wide > sums.widest_free) {
      sums.widest_free = wide;
      sums.widest_free_regions = count;
    }
    end = region.position + region.bytes;
  }
  return sums;
}

}  // namespace ddm
