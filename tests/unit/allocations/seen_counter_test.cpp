#include "allocations/store/seen_counter.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace ddm {

TEST_CASE("a counter is read as a whole while its owner counts") {
  SeenCounter counter;
  std::atomic<bool> stop{false};
  std::thread owner([&] {
    // Much longer between two counts than a read takes, also where tsan looks at each step of it:
    // as it is with allocations.
    for (std::uint64_t seq = 1; !stop; ++seq) {
      counter.add({1, 1, 2, 16, seq});
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    }
  });
  bool whole = true;
  std::int64_t last = 0;
  for (int i = 0; i < 200000 || last == 0; ++i) {
    const Seen seen = counter.read();
    whole = whole && seen.dropped == seen.samples &&
            seen.count == 2 * static_cast<double>(seen.samples) && seen.bytes == 8 * seen.count &&
            seen.last_seq == static_cast<std::uint64_t>(seen.samples) && seen.samples >= last;
    last = seen.samples;
  }
  stop = true;
  owner.join();
  CHECK(whole);
}

TEST_CASE("what was dropped leaves the newest record as it is") {
  SeenCounter counter;
  counter.add({1, 0, 1, 16, 7});
  counter.add({1, 1, 1, 24, 0});
  const Seen seen = counter.read();
  CHECK(seen.samples == 2);
  CHECK(seen.dropped == 1);
  CHECK(seen.bytes == 40);
  CHECK(seen.last_seq == 7);
  counter.clear();
  CHECK(counter.read().samples == 0);
  CHECK(counter.read().last_seq == 0);
}

}  // namespace ddm
