#include "probes/plans/hit_costs.h"

#include <array>
#include <catch2/catch.hpp>

using namespace ddm;

namespace {

constexpr HitCosts kCompiled{0.7, 1, 50, 10};
constexpr HitCosts kInterpreted{40, 80, 300, 60};

}  // namespace

TEST_CASE("the cost of compiled hits replaces that of interpreted ones at once") {
  KnownHitCosts costs;
  costs.measured(kInterpreted);
  CHECK(costs.now().count == 40);
  costs.measured(kCompiled);
  CHECK(costs.now().count == 0.7);
  CHECK(costs.now().native == 10);
}

TEST_CASE("the known costs never rise above twice the lowest ones") {
  KnownHitCosts costs;
  costs.measured(kCompiled);
  for (int i = 0; i < 1000; ++i) costs.measured(kInterpreted);
  CHECK(costs.now().count == 2 * kCompiled.count);
  CHECK(costs.now().test == 2 * kCompiled.test);
  CHECK(costs.now().timed == 2 * kCompiled.timed);
  CHECK(costs.now().native == 2 * kCompiled.native);
}

TEST_CASE("an interrupted measurement at most doubles the known cost until the next one") {
  KnownHitCosts costs;
  costs.measured(kCompiled);
  costs.measured({20'000, 1, 50, 10});
  CHECK(costs.now().count <= 2 * kCompiled.count);
  costs.measured(kCompiled);
  CHECK(costs.now().count == kCompiled.count);
}

TEST_CASE("a failed measurement changes nothing") {
  KnownHitCosts costs;
  costs.measured(kCompiled);
  costs.measured({});
  CHECK(costs.now().count == kCompiled.count);
  CHECK(!HitCosts{}.known());
}

TEST_CASE("slower code than was measured before is not compiled") {
  KnownHitCosts costs;
  CHECK(!costs.is_compiled(kInterpreted));
  costs.measured(kInterpreted);
  costs.measured(kCompiled);
  CHECK(costs.is_compiled(kCompiled));
  CHECK(!costs.is_compiled(kInterpreted));
}

TEST_CASE("of several runs each cost is the lowest that was measured") {
  const HitCosts least = lower_of({1, 900, 50, 10}, {800, 2, 40, 0});
  CHECK(least.count == 1);
  CHECK(least.test == 2);
  CHECK(least.timed == 40);
  CHECK(least.native == 10);
}

TEST_CASE("what hits of threads without cells cost is divided as other hits are") {
  std::array<ProbeBudget::Cost, 3> costs{{{1, 300, 0}, {2, 150, 50}, {3, 0, 0}}};
  add_shared_hits(costs, 4000);
  CHECK(costs[0].ns == 300 + 3000);
  CHECK(costs[1].ns == 150 + 1000);
  CHECK(costs[1].passing_ns == 50);
  CHECK(costs[2].ns == 0);
}

TEST_CASE("hits of threads without cells cost nobody anything if no probe was hit") {
  std::array<ProbeBudget::Cost, 1> costs{{{1, 70, 70}}};
  add_shared_hits(costs, 4000);
  CHECK(costs[0].ns == 70);
}

TEST_CASE("a condition costs what it reads, whether it holds or not") {
  constexpr HitCosts costs{1, 2, 50, 10, 80};
  CHECK(cost_of_hits(costs, 3, 0, false, {}) == 3);
  CHECK(cost_of_hits(costs, 3, 10, true, {}) == 3 * 50 + 10 * 2);
  CHECK(cost_of_hits(costs, 3, 10, false, {.steps = 2}) == 3 + 10 * (2 + 160));
  // The clock is read for each call, and not again for hits.
  CHECK(cost_of_hits(costs, 3, 10, true, {.timed = true}) == 3 + 10 * (2 + 50));
}
