#include "time/stop_cost.h"

#include <time.h>

#include <catch2/catch.hpp>
#include <thread>

using ddm::StopCost;

TEST_CASE("a thread that did nothing for its stack has lost nothing") {
  StopCost cost;
  CHECK(cost.stopped(0) == 0);
  CHECK(cost.stopped(-1) == 0);
  CHECK(cost.stopped(20'000) > 0);
  CHECK(cost.stopped(0) == 0);
}

TEST_CASE("what a stop costs is what the cheaper ones take, and never more than was used") {
  StopCost cost;
  // Three of four threads compute for a while before they stop.
  std::int64_t last = 0;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t used = i % 4 == 0 ? 20'000 : 1'000'000;
    const std::int64_t lost = cost.stopped(used);
    CHECK(lost <= used);
    if (used > 20'000) last = lost;
  }
  CHECK(last >= 15'000);
  CHECK(last <= 30'000);
}

TEST_CASE("switches cost others something where more threads run than there are processors") {
  StopCost cost;
  cost.begin();
  constexpr timespec kNap{0, 1'000'000};
  const auto nap = [&] {
    for (int i = 0; i < 10; ++i) nanosleep(&kNap, nullptr);
    return cost.switched();
  };
  cost.begin_round(0);
  CHECK(nap() == 0);
  cost.begin_round(std::thread::hardware_concurrency() + 8);
  CHECK(nap() > 0);
  CHECK(cost.switched() < nap());
  cost.end();
}
