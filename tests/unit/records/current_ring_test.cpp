#include "records/current_ring.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace ddm {

TEST_CASE("a ring that nobody is in is given back when it is replaced") {
  CurrentRing current;
  CHECK_FALSE(CurrentRing::Hold(current));
  for (std::uint32_t size = 1; size <= 10; ++size) {
    current.replace(AllocRing::create(size, 4));
    CHECK(current.rings_kept() == 1);
    CHECK(CurrentRing::Hold(current)->capacity() == size);
  }
}

TEST_CASE("a writer's ring stays until the writer is out of it") {
  CurrentRing current;
  current.replace(AllocRing::create(8, 4));
  std::atomic<int> step{0};
  std::thread writer([&] {
    {
      const CurrentRing::Hold hold(current);
      step = 1;
      while (step == 1) std::this_thread::yield();
      CHECK(hold->capacity() == 8);
      CHECK(hold->push({}, {}));
      const CurrentRing::Hold inner(current);  // an allocation within an allocation
      CHECK(inner->capacity() == 8);
    }
    step = 3;
    while (step == 3) std::this_thread::yield();
  });
  while (step == 0) std::this_thread::yield();
  current.replace(AllocRing::create(9, 4));
  CHECK(current.rings_kept() == 2);
  CHECK(CurrentRing::Hold(current)->capacity() == 9);
  step = 2;
  while (step == 2) std::this_thread::yield();
  current.replace(AllocRing::create(10, 4));
  CHECK(current.rings_kept() == 1);
  step = 4;
  writer.join();
}

TEST_CASE("rings can be replaced all the time while threads come, write and go") {
  CurrentRing current;
  current.replace(AllocRing::create(16, 4));
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  std::vector<std::thread> starters;
  for (int t = 0; t < 2; ++t) {
    starters.emplace_back([&] {
      while (!stop) {
        std::thread([&] {
          for (int i = 0; i < 50; ++i) {
            const CurrentRing::Hold hold(current);
            written += hold->push({}, {}) ? 1 : 0;
          }
        }).join();
      }
    });
  }
  for (std::uint32_t i = 0; i < 500 || written == 0; ++i) {
    current.replace(AllocRing::create(16 + i % 16, 4));
  }
  stop = true;
  for (auto& s : starters) s.join();
  current.replace(AllocRing::create(1, 1));
  CHECK(current.rings_kept() == 1);
}

}  // namespace ddm
