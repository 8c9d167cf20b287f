#include "vm/own_threads.h"

#include <catch2/catch.hpp>

using namespace ddm;

TEST_CASE("an own thread that has ended remains one until many others have") {
  constexpr std::int64_t kLives = 1'000, kFirst = 2'000, kOthers = 16;
  add_own_thread(kLives);
  for (std::int64_t id = kFirst; id <= kFirst + kOthers; ++id) {
    add_own_thread(id);
    remove_own_thread(id);
    CHECK(is_own_thread(id));
  }
  CHECK_FALSE(is_own_thread(kFirst));  // its place is another one's
  CHECK(is_own_thread(kFirst + 1));
  CHECK(is_own_thread(kLives));
  remove_own_thread(kLives);
}

TEST_CASE("a thread that was never an own one does not become one when it ends") {
  remove_own_thread(0);
  remove_own_thread(3'000);
  CHECK_FALSE(is_own_thread(0));
  CHECK_FALSE(is_own_thread(3'000));
}
