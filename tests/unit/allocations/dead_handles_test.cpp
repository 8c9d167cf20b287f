#include "allocations/store/dead_handles.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace ddm {
namespace {

TEST_CASE("Each dead handle is taken once, by whichever of several threads") {
  constexpr std::uint64_t kMany = 300'000;
  DeadHandles dead;
  std::atomic<bool> added{false};
  std::vector<std::atomic<int>> taken(kMany + 1);
  std::vector<std::thread> takers;
  for (int i = 0; i < 3; ++i) {
    takers.emplace_back([&] {
      DeadHandles::Buffer buffer;
      while (!added || dead.any()) {
        for (const std::uint64_t handle : dead.take(buffer)) ++taken[handle];
      }
    });
  }
  std::uint64_t next = 1;
  while (next <= kMany) {
    std::vector<std::uint64_t> some;
    for (int i = 0; i < 70 && next <= kMany; ++i) some.push_back(next++);
    REQUIRE(dead.add(some));
  }
  added = true;
  for (std::thread& taker : takers) taker.join();
  std::size_t once = 0;
  for (const auto& times : taken) once += times == 1 ? 1 : 0;
  CHECK(once == kMany);
  CHECK(taken[0] == 0);
}

TEST_CASE("Dead handles that have no room are not taken over, and room comes back") {
  DeadHandles dead;
  DeadHandles::Buffer buffer{};
  CHECK_FALSE(dead.any());
  CHECK(dead.take(buffer).empty());
  buffer.fill(7);
  std::size_t count = 0;
  while (dead.add(buffer)) count += buffer.size();
  CHECK(count == DeadHandles::kMost / buffer.size() * buffer.size());
  CHECK(dead.take(buffer).size() == buffer.size());
  CHECK(dead.add(buffer));
  dead.shrink();
  CHECK(dead.any());
  while (dead.any()) count -= dead.take(buffer).size();
  CHECK(count == 0);
  dead.shrink();
  CHECK(dead.add(buffer));
  CHECK(dead.take(buffer).size() == buffer.size());
}

}  // namespace
}  // namespace ddm
