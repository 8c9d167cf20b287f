#include "core/reserved_array.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

namespace ddm {

using Pages = ReservedArray<std::uint64_t>::Pages;

TEST_CASE("a reserved array is zero from its first element to its last and keeps what is written") {
  const auto pages = GENERATE(Pages::kSmall, Pages::kHuge);
  // Also of no whole number of pages.
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    ReservedArray<std::uint64_t> array(size, pages);
    REQUIRE(array.good());
    CHECK(array.size() == size);
    CHECK(std::all_of(&array[0], &array[0] + size, [](std::uint64_t n) { return n == 0; }));
    array[0] = 1;
    array[size - 1] += 2;
    CHECK(array[0] + array[size - 1] == (size == 1 ? 6 : 3));
  }
}

TEST_CASE("an array of huge pages begins where one of them can") {
  ReservedArray<std::uint64_t> array(1 << 20, Pages::kHuge);
  REQUIRE(array.good());
  CHECK(reinterpret_cast<std::uintptr_t>(&array[0]) % (std::uintptr_t{2} << 20) == 0);
}

TEST_CASE("memory that cannot be had is told") {
  const auto pages = GENERATE(Pages::kSmall, Pages::kHuge);
  CHECK_FALSE(ReservedArray<std::uint64_t>(std::size_t{1} << 50, pages).good());
}

}  // namespace ddm
