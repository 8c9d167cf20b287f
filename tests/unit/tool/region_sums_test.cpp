#include <catch2/catch.hpp>
#include <vector>

#include "heap/heap_cells.h"
#include "heap/heap_page.h"
#include "heap/heap_sums.h"

namespace ddm {

TEST_CASE("figures that no heap has come to no nonsense") {
  const std::vector<HeapRegion> region{{0, 100, 200, RegionRole::kHumongous}};
  CHECK(RegionSums::of(region).humongous_waste == 0);
  HeapFrame frame;
  frame.map.segments = {HeapSegment{.units = 4, .pairs = {0x01, 3}}};
  frame.map.regions = region;
  frame.map.classes.classes = {"a.B"};
  for (const std::uint64_t tile : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const HeapCells cells(frame.map.segments, 8192, tile);
    REQUIRE(cells.cells().size() == (tile == 0 ? 32 : 1));
    CHECK(cells.cells().front().used() == (tile == 0 ? 1 : 32));
    frame.map.classes.tile_bytes = tile;
    frame.map.classes.tiles = {{~std::uint64_t{0}, 0, 1, 8}};
    CHECK(heap_page("a heap", {frame}).find("a.B") != std::string::npos);
  }
}

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
