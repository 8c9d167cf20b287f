#include "allocations/store/current_ring.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace ddm {
namespace {

std::shared_ptr<AllocRing> ring_of(std::uint32_t records) { return AllocRing::create(records, 4); }

}  // namespace

TEST_CASE("a ring that nobody is in is given back when it is replaced") {
  Reclamation reclamation;
  CurrentRing current(reclamation);
  CHECK(current.get() == nullptr);
  std::weak_ptr<AllocRing> last;
  for (std::uint32_t size = 1; size <= 10; ++size) {
    auto ring = ring_of(size);
    std::weak_ptr<AllocRing> watched = ring;
    current.replace(std::move(ring));
    CHECK(last.expired());
    CHECK(current.get()->capacity() == size);
    last = watched;
  }
  CHECK_FALSE(last.expired());
}

TEST_CASE("a writer's ring stays until the writer is out of it") {
  Reclamation reclamation;
  CurrentRing current(reclamation);
  auto first = ring_of(8);
  const std::weak_ptr<AllocRing> watched = first;
  current.replace(std::move(first));
  {
    const Reclamation::Reading writer;
    AllocRing* ring = current.get();
    current.replace(ring_of(9));
    CHECK(current.get()->capacity() == 9);
    REQUIRE_FALSE(watched.expired());
    CHECK(ring->push({}, {}));
  }
  current.replace(ring_of(10));
  CHECK(watched.expired());
}

TEST_CASE("rings can be replaced all the time while threads come, write and go") {
  Reclamation reclamation;
  CurrentRing current(reclamation);
  current.replace(ring_of(16));
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  std::vector<std::thread> starters;
  for (int t = 0; t < 2; ++t) {
    starters.emplace_back([&] {
      while (!stop) {
        std::thread([&] {
          for (int i = 0; i < 50; ++i) {
            const Reclamation::Reading reading;
            written += current.get()->push({}, {}) ? 1 : 0;
          }
        }).join();
      }
    });
  }
  for (std::uint32_t i = 0; i < 500 || written == 0; ++i) current.replace(ring_of(16 + i % 16));
  stop = true;
  for (auto& s : starters) s.join();
}

}  // namespace ddm
