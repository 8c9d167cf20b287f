#include "heap/heap_cells.h"

#include <catch2/catch.hpp>

#include "heap_states.h"

namespace ddm {
namespace {

constexpr std::size_t kObjects = 0;
constexpr std::size_t kLongCells = 5;

HeapSegment segment(std::uint32_t heap, std::uint32_t start, Bytes pairs) {
  HeapSegment result;
  result.heap_id = heap;
  result.start = start;
  result.pairs = std::move(pairs);
  for (std::size_t i = 1; i < result.pairs.size(); i += 2) result.units += result.pairs[i] + 1u;
  return result;
}

}  // namespace

TEST_CASE("Bytes go to the cells in which they lie") {
  const HeapCells cells({segment(1, 0, {kObjectState, 7, kFreeState, 7, kLongsState, 15})}, 4);
  REQUIRE(cells.cell_bytes() == 64);
  REQUIRE(cells.cells().size() == 4);
  CHECK(cells.cells()[0].bytes[kObjects] == 64);
  CHECK(cells.cells()[1].bytes[kFreeColumn] == 64);
  CHECK(cells.cells()[1].used() == 0);
  CHECK(cells.cells()[1].main_column() == kFreeColumn);
  CHECK(cells.cells()[2].bytes[kLongCells] == 64);
  CHECK(cells.cells()[3].bytes[kLongCells] == 64);
}

TEST_CASE("What is not committed is in no column, and slices lie 4 GiB apart") {
  const HeapCells cells({segment(1, 1024, {kObjectState, 0}), segment(2, 0, {kLongsState, 0})}, 2);
  REQUIRE(cells.cells().size() == 2);
  CHECK(cells.begin() == 0);
  CHECK(cells.cells()[0].committed() == 8);
  CHECK(cells.cells()[1].bytes[kLongCells] == 8);
}

TEST_CASE("The kind that has most of a cell is shown, free space only when nothing else is there") {
  HeapCell cell;
  cell.bytes[kFreeColumn] = 1000;
  cell.bytes[kObjects] = 8;
  cell.bytes[kLongCells] = 16;
  CHECK(cell.main_column() == kLongCells);
  CHECK(cell.used() == 24);
}

TEST_CASE("A map without segments has no cells") { CHECK(HeapCells({}, 10).cells().empty()); }

}  // namespace ddm
