#include "core/reclamation.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

using namespace ddm;
using namespace std::chrono_literals;

namespace {

// Something that tells whether it still exists.
std::shared_ptr<const void> thing(std::atomic<int>& alive) {
  ++alive;
  return {new int, [&alive](const int* memory) {
            --alive;
            delete memory;
          }};
}

}  // namespace

TEST_CASE("What is retired is freed soon when nobody reads") {
  std::atomic<int> alive{0};
  Reclamation reclamation;
  for (int i = 0; i < 100; ++i) reclamation.retire(thing(alive));
  CHECK(alive <= 16);
  CHECK(reclamation.wait_for_readers(1000ms));
  CHECK(alive == 0);
}

TEST_CASE("What a reader may have seen stays until the reader has left") {
  std::atomic<int> alive{0}, later{0};
  Reclamation reclamation;
  std::optional<Reclamation::Reading> reading(std::in_place);
  reclamation.retire(thing(alive));
  for (int i = 0; i < 100; ++i) reclamation.retire(thing(later));
  CHECK(alive == 1);
  CHECK_FALSE(reclamation.wait_for_readers(2ms));
  {
    const Reclamation::Reading nested;
    reading.reset();
    for (int i = 0; i < 100; ++i) reclamation.retire(thing(later));
  }
  CHECK(reclamation.wait_for_readers(1000ms));
  CHECK(alive == 0);
}

TEST_CASE("Readers never see freed memory while a writer replaces it") {
  struct Pair {
    explicit Pair(int n) : first(n), second(n) {}
    ~Pair() { first = -1; }
    int first, second;
  };
  Reclamation reclamation;
  auto owner = std::make_shared<Pair>(0);
  std::atomic<const Pair*> current{owner.get()};
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const Reclamation::Reading reading;
        const Pair& pair = *current.load(std::memory_order_seq_cst);
        if (pair.first != pair.second) ++torn;
      }
    });
  }
  for (int n = 1; n < 20000; ++n) {
    auto next = std::make_shared<Pair>(n);
    current.store(next.get(), std::memory_order_seq_cst);
    reclamation.retire(std::exchange(owner, std::move(next)));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
}
