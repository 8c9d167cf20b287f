#include "heap/walk/heap_space.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

std::vector<HeapSpace> cut(std::vector<HeapHole> holes, const std::vector<HeapSpace>& spaces) {
  std::vector<HeapSpace> pieces;
  pieces.reserve(holes.size() + spaces.size());
  if (!cut_at(holes, spaces, pieces)) pieces.clear();
  return pieces;
}

// Not in the order of their addresses, as a generation's are; the last is a humongous object.
const std::vector<HeapSpace> kSpaces = {
    {1000, 1800, 1800, 2000, false}, {0, 480, 480, 500, false}, {3000, 3500, 4000, 4000, false}};

}  // namespace

TEST_CASE("without holes spaces stay as they are") {
  const auto pieces = cut({}, kSpaces);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[2].limit == 4000);
}

TEST_CASE("a hole ends a piece with free memory, and the next begins behind it") {
  const auto pieces = cut({{1600, 1800}, {80, 160}, {1000, 1200}}, kSpaces);
  REQUIRE(pieces.size() == 6);
  const std::uintptr_t expected[][3] = {// bottom, top, end
                                        {1000, 1000, 1200}, {1200, 1600, 1800}, {1800, 1800, 2000},
                                        {0, 80, 160},       {160, 480, 500},    {3000, 3500, 4000}};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].bottom == expected[i][0]);
    CHECK(pieces[i].top == expected[i][1]);
    CHECK(pieces[i].end == expected[i][2]);
  }
  CHECK(pieces[4].limit == 480);
}

TEST_CASE("a hole that lies in no space, across a top or in another hole is refused") {
  CHECK(cut({{2100, 2200}}, kSpaces).empty());
  CHECK(cut({{1700, 1900}}, kSpaces).empty());
  CHECK(cut({{100, 200}, {150, 250}}, kSpaces).empty());
  CHECK(cut({{200, 200}}, kSpaces).empty());
  std::vector<HeapHole> holes{{80, 160}};
  std::vector<HeapSpace> no_room;
  CHECK_FALSE(cut_at(holes, kSpaces, no_room));
}

}  // namespace ddm
