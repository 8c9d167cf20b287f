#include "heap/heap_sums.h"

#include <algorithm>
#include <bit>

#include "heap/heap_cells.h"

namespace ddm {

HeapHoles HeapHoles::of(const std::vector<HeapSegment>& segments) {
  HeapHoles holes;
  std::uint64_t hole = 0;
  const auto end_hole = [&] {
    if (hole == 0) return;
    ++holes.count;
    holes.bytes += hole;
    holes.largest = std::max(holes.largest, hole);
    ++holes.by_size[std::bit_floor(hole)];
    hole = 0;
  };
  std::vector<const HeapSegment*> in_order;
  for (const HeapSegment& segment : segments) in_order.push_back(&segment);
  std::ranges::stable_sort(in_order, {}, [](const HeapSegment* one) { return position_of(*one); });
  std::uint64_t end = 0;
  for (const HeapSegment* const segment : in_order) {
    if (position_of(*segment) != end) end_hole();
    for (const HeapRun& run : segment->runs()) {
      if (run.state == kFreeState) {
        hole += run.units * segment->unit;
      } else {
        end_hole();
      }
    }
    end = position_of(*segment) + std::uint64_t{segment->units} * segment->unit;
  }
  end_hole();
  return holes;
}

RegionSums RegionSums::of(std::span<const HeapRegion> regions) {
  RegionSums sums;
  std::uint64_t end = 0, wide = 0, count = 0;
  for (const HeapRegion& region : regions) {
    const auto role = static_cast<std::size_t>(region.role);
    Sum& sum = sums.by_role[role < kRoles ? role : 0];
    ++sum.regions;
    sum.bytes += region.bytes;
    sum.used += region.used;
    if (region.role == RegionRole::kHumongous) {
      sums.humongous_waste += region.bytes - std::min(region.bytes, region.used);
    }
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
