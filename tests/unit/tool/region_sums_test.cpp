#include <catch2/catch.hpp>
#include <vector>

#include "heap/heap_sums.h"

namespace ddm {

TEST_CASE("what is lost behind humongous objects, and what finds room") {
  constexpr std::uint64_t kMiB = 1 << 20;
  const std::vector<HeapRegion> regions{
      {0, kMiB, 0, RegionRole::kFree},
      {kMiB, kMiB, kMiB, RegionRole::kHumongous},
      {2 * kMiB, kMiB, 1000, RegionRole::kHumongous},
      {3 * kMiB, kMiB, 0, RegionRole::kFree},
      {4 * kMiB, kMiB, 0, RegionRole::kFree},
      {5 * kMiB, kMiB, 77, RegionRole::kEden},
      {6 * kMiB, kMiB, 0, RegionRole::kFree},
      {9 * kMiB, kMiB, 0, RegionRole::kFree},  // not beside the one before
  };
  const RegionSums sums = RegionSums::of(regions);
  CHECK(sums.humongous_waste == kMiB - 1000);
  CHECK(sums.widest_free == 2 * kMiB);
  CHECK(sums.widest_free_regions == 2);
  CHECK(sums.of(RegionRole::kFree).regions == 5);
  CHECK(sums.of(RegionRole::kEden).used == 77);
}

}  // namespace ddm
