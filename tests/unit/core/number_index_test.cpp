#include "core/number_index.h"

#include <catch2/catch.hpp>
#include <vector>

using ddm::NumberIndex;

namespace {

// Items of few different hashes, so that searches pass many others.
NumberIndex::Place crowded(std::uint64_t item) {
  return {item % 7 == 0 ? item * 16 : 4090, static_cast<std::uint32_t>(item % 3) << 20};
}
NumberIndex::Place spread(std::uint64_t item) {
  const std::uint64_t hash = item * 0x9E3779B97F4A7C15ull;
  return {hash >> 40, static_cast<std::uint32_t>(hash >> 20)};
}

void check(std::uint32_t count, std::size_t most, NumberIndex::Place (*place)(std::uint64_t)) {
  NumberIndex index(most);
  REQUIRE(index.good());
  std::vector<std::uint64_t> items{0};
  const auto find = [&](std::uint64_t item) {
    return index.find(place(item), [&](std::uint32_t number) { return items[number] == item; });
  };
  for (std::uint32_t number = 1; number <= count; ++number) {
    const std::uint64_t item = std::uint64_t{number} * number + 5;
    REQUIRE(find(item) == 0);
    items.push_back(item);
    index.add(number, [&](std::uint32_t each) { return place(items[each]); });
    REQUIRE(find(item) == number);
  }
  for (std::uint32_t number = 1; number <= count; ++number) REQUIRE(find(items[number]) == number);
  CHECK(find(3) == 0);
}

}  // namespace

TEST_CASE("every numbered item is found while the index grows") {
  check(3000, 3000, crowded);
  check(200'000, 200'000, spread);
  check(1, 1, spread);
}

TEST_CASE("as many items as were announced fit") { check(65536, 65536, spread); }
