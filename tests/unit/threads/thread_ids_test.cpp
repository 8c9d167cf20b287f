#include "threads/thread_ids.h"

#include <catch2/catch.hpp>
#include <set>

namespace ddm {
namespace {

constexpr std::int64_t kAll = 65535;

}  // namespace

TEST_CASE("Threads share no number while there are unused ones") {
  ThreadIds ids;
  std::set<SmallThreadId> given;
  for (std::int64_t thread = 1; thread <= kAll; ++thread) {
    given.insert(thread % 2 == 0 ? ids.of(thread) : ids.of_ended(thread));
    ids.ended(thread);
  }
  CHECK(given.size() == kAll);
  CHECK(given.count(0) == 0);
  for (std::int64_t thread = 1; thread <= kAll; ++thread) {
    if (ids.of_ended(thread) != thread) FAIL("thread " << thread << " has another number now");
  }
}

TEST_CASE("The number of who ended longest ago is used again first") {
  ThreadIds ids;
  for (std::int64_t thread = 1; thread <= kAll; ++thread) ids.of(thread);
  CHECK(ids.of(100'000) == 0);  // all of them live
  for (const std::int64_t thread : {30, 10, 20}) ids.ended(thread);
  ids.ended(30);
  CHECK(ids.of(100'001) == 30);
  CHECK(ids.of(100'002) == 10);
  SECTION("and lives again, if it was no end") {
    CHECK(ids.of(20) == 20);
    CHECK(ids.of(100'003) == 0);
  }
  SECTION("and of those that ended again") {
    ids.ended(100'001);
    CHECK(ids.of(100'003) == 20);
    CHECK(ids.of(100'004) == 30);
  }
}

TEST_CASE("Threads that are asked for together share no number") {
  ThreadIds ids;
  for (std::int64_t thread = 1; thread <= kAll; ++thread) ids.of(thread);
  for (std::int64_t thread = 1; thread <= 1000; ++thread) ids.ended(thread);
  // Known ones and new ones in turns, as the threads of one REAL.
  std::set<SmallThreadId> given;
  for (std::int64_t thread = 1; thread <= 500; ++thread) {
    given.insert(ids.of_ended(thread));
    given.insert(ids.of_ended(100'000 + thread));
  }
  CHECK(given.size() == 1000);
  CHECK(ids.of_ended(kAll) == kAll);
}

}  // namespace ddm
