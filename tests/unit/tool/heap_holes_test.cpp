#include <catch2/catch.hpp>

#include "heap/heap_sums.h"

namespace ddm {
namespace {

// Pairs of a state and a length less one (byte each).
HeapSegment segment(std::uint32_t start, std::initializer_list<std::pair<bool, int>> runs) {
  HeapSegment result;
  result.start = start;
  for (const auto& [used, units] : runs) {
    result.pairs.push_back(used ? 0x01 : 0x00);
    result.pairs.push_back(static_cast<std::uint8_t>(units - 1));
    result.units += static_cast<std::uint32_t>(units);
  }
  return result;
}

}  // namespace

TEST_CASE("holes are pieces of free space, put together where they lie side by side") {
  // 8 + 16 bytes used and free; free to the end, and on in the next segment; then far away.
  const std::vector<HeapSegment> segments{
      segment(4096, {{false, 4}, {true, 1}}),
      segment(0, {{true, 1}, {false, 2}, {true, 1}, {false, 252}, {false, 256}}),
      segment(65536, {{false, 128}, {false, 128}})};
  const HeapHoles holes = HeapHoles::of(segments);
  CHECK(holes.count == 3);
  CHECK(holes.largest == 508 * 8 + 32);
  CHECK(holes.bytes == 16 + 508 * 8 + 32 + 2048);
  CHECK(holes.by_size == std::map<std::uint64_t, std::uint64_t>{{16, 1}, {2048, 1}, {4096, 1}});
}

TEST_CASE("a heap without free space has no holes") {
  CHECK(HeapHoles::of({}).count == 0);
  CHECK(HeapHoles::of({segment(0, {{true, 3}})}).bytes == 0);
}

}  // namespace ddm
