#include "allocations/store/slot_index.h"

#include <catch2/catch.hpp>
#include <random>

namespace ddm {

TEST_CASE("a seq's slot is its remainder, however many slots there are and however large it is") {
  std::mt19937_64 random(5);
  const auto check = [&](std::uint32_t slots) {
    const SlotIndex index(slots);
    CHECK(index.slots() == slots);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t seq = random() >> random() % 64;
      if (index.of(seq) != seq % slots) FAIL(seq << " in " << slots);
    }
    for (const std::uint64_t seq :
         {std::uint64_t{0}, std::uint64_t{slots} - 1, std::uint64_t{slots}, ~std::uint64_t{0}}) {
      CHECK(index.of(seq) == seq % slots);
    }
  };
  for (std::uint32_t slots = 1; slots <= 300; ++slots) check(slots);
  for (const std::uint32_t slots : {65536u, 66560u, 16640u, 99999u, 1048576u, 1064960u}) {
    check(slots);
  }
}

}  // namespace ddm
