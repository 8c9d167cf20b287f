#include "probes/plans/probe_budget.h"

#include <array>
#include <catch2/catch.hpp>

using namespace ddm;

namespace {

constexpr double kStepNs = 50'000'000;

// Steps until a probe is to go, with one that takes `share` of the program's CPU; 0: none.
int steps_until_removed(ProbeBudget& budget, double share, int most = 1000) {
  for (int step = 1; step <= most; ++step) {
    const std::array<ProbeBudget::Cost, 1> costs{{{7, share * kStepNs}}};
    const auto gone =
        budget.step({kStepNs, kStepNs * (1 + share), 0, std::span<const ProbeBudget::Cost>(costs)});
    if (!gone.empty()) {
      CHECK(gone == std::vector<std::uint64_t>{7});
      return step;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("probes within the budget stay") {
  ProbeBudget budget(5);
  CHECK(steps_until_removed(budget, 0.04) == 0);
  CHECK(budget.used_percent() == Approx(4));
}

TEST_CASE("a probe that costs more than the program is taken out at once") {
  ProbeBudget budget(5);
  CHECK(steps_until_removed(budget, 200) == 1);
  ProbeBudget other(5);
  CHECK(steps_until_removed(other, 0.9) == 6);
}

TEST_CASE("a probe that has just gone in goes within milliseconds if it is far too dear") {
  // The first looks are two milliseconds apart.
  const auto looks_until_removed = [](double percent, double share) {
    ProbeBudget budget(percent);
    constexpr double kLook = 2'000'000;
    for (int look = 1; look <= 25; ++look) {
      const std::array<ProbeBudget::Cost, 1> costs{{{7, share * kLook}}};
      const std::span<const ProbeBudget::Cost> all(costs);
      if (!budget.step({kLook, kLook * (1 + share), 0, all}).empty()) return look;
    }
    return 0;
  };
  CHECK(looks_until_removed(1, 0.5) == 3);
  CHECK(looks_until_removed(1, 1) == 1);
  CHECK(looks_until_removed(5, 10) == 1);
  CHECK(looks_until_removed(10, 10) == 1);
  // It may be a burst.
  CHECK(looks_until_removed(1, 0.19) == 0);
  CHECK(looks_until_removed(5, 0.9) == 0);
}

TEST_CASE("what soon ends by itself takes no probe out that has just gone in") {
  constexpr double kLook = 2'000'000;
  ProbeBudget budget(5);
  // 3 ms for the first values that are shown, of a program that hardly runs.
  const std::array<ProbeBudget::Cost, 2> costs{{{1, 3e6, 3e6}, {2, 1e3, 0}}};
  CHECK(budget.step({kLook, kLook, 0, std::span<const ProbeBudget::Cost>(costs)}).empty());
  // It counts all the same: 3 ms in each step are more than the budget.
  std::vector<std::uint64_t> gone;
  for (int step = 0; step < 1000 && gone.empty(); ++step) {
    gone = budget.step({kStepNs, kStepNs, 0, std::span<const ProbeBudget::Cost>(costs)});
  }
  CHECK(gone == std::vector<std::uint64_t>{1});
}

TEST_CASE("a probe beside one that goes within milliseconds stays") {
  ProbeBudget budget(1);
  constexpr double kLook = 2'000'000;
  const std::array<ProbeBudget::Cost, 2> costs{{{1, 0.005 * kLook}, {2, 20 * kLook}}};
  const auto gone =
      budget.step({kLook, 21.005 * kLook, 0, std::span<const ProbeBudget::Cost>(costs)});
  CHECK(gone == std::vector<std::uint64_t>{2});
}

TEST_CASE("when the load doubles a probe over its budget goes within five seconds") {
  for (const double share : {0.035, 0.04, 0.048}) {
    ProbeBudget budget(5);
    CHECK(steps_until_removed(budget, share, 2000) == 0);
    const int steps = steps_until_removed(budget, 2 * share);
    CHECK(steps > 0);
    CHECK(steps * kStepNs < 3e9);
  }
}

TEST_CASE("a burst of hits takes no probe out") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 1> burst{{{1, 0.08 * 1e9}}};
  CHECK(budget.step({kStepNs, 3 * kStepNs, 0, std::span<const ProbeBudget::Cost>(burst)}).empty());
  CHECK(steps_until_removed(budget, 0.01) == 0);
}

TEST_CASE("the dearest probe goes first") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 3> costs{{{1, 3e5}, {2, 4.9e8}, {3, 6e5}}};
  const auto gone =
      budget.step({kStepNs, 10 * kStepNs, 0, std::span<const ProbeBudget::Cost>(costs)});
  CHECK(gone == std::vector<std::uint64_t>{2});
  // Who is left is judged by what it costs itself.
  CHECK(budget.step({kStepNs, 10 * kStepNs, 0, std::span<const ProbeBudget::Cost>(costs).first(1)})
            .empty());
}

TEST_CASE("probes that are too dear each go together") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 3> costs{{{1, 4e8}, {2, 1e6}, {3, 4.9e8}}};
  const auto gone =
      budget.step({kStepNs, 10 * kStepNs, 0, std::span<const ProbeBudget::Cost>(costs)});
  CHECK(gone == std::vector<std::uint64_t>{3, 1});
}

TEST_CASE("sampling takes of the same budget") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 1> costs{{{1, 0.03 * kStepNs}}};
  bool gone = false;
  for (int step = 0; step < 200; ++step) {
    gone = gone || !budget
                        .step({kStepNs, kStepNs * 1.07, 0.04 * kStepNs,
                               std::span<const ProbeBudget::Cost>(costs)})
                        .empty();
  }
  CHECK(gone);
}

TEST_CASE("what was spent on something else than hits is told apart") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 1> costs{{{1, 0.02 * kStepNs}}};
  budget.charge_once(0.5 * kStepNs);
  for (int step = 0; step < 10; ++step) {
    const auto gone = budget.step(
        {kStepNs, 1.03 * kStepNs, 0.01 * kStepNs, std::span<const ProbeBudget::Cost>(costs)});
    CHECK(gone.empty());
  }
  CHECK(budget.used_percent() == Approx(5 + 3));
  CHECK(budget.other_percent() == Approx(5 + 1));
}

TEST_CASE("a probe in a program that sleeps stays") {
  ProbeBudget budget(5);
  const std::array<ProbeBudget::Cost, 1> costs{{{1, 0.004 * kStepNs}}};
  bool gone = false;
  for (int step = 0; step < 1000; ++step) {
    gone = gone ||
           !budget.step({kStepNs, 0.01 * kStepNs, 0, std::span<const ProbeBudget::Cost>(costs)})
                .empty();
  }
  CHECK_FALSE(gone);
}
