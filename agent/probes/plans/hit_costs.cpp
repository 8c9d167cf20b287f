#include "probes/plans/hit_costs.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr double kMostAboveLeast = 2;
constexpr double kAboutTheSame = 1.5;
constexpr double HitCosts::*kAllCosts[] = {&HitCosts::count, &HitCosts::test, &HitCosts::timed,
                                           &HitCosts::native, &HitCosts::step};

double lower(double one, double other) {
  return one <= 0 || (other > 0 && other < one) ? other : one;
}

}  // namespace

HitCosts lower_of(const HitCosts& one, const HitCosts& other) {
  HitCosts both;
  for (const auto cost : kAllCosts) both.*cost = lower(one.*cost, other.*cost);
  return both;
}

double cost_of_hits(const HitCosts& costs, std::int64_t hits, std::int64_t tests, bool timed,
                    const ConditionWork& work) {
  // The clock was read for the condition already.
  const double hit = timed && !work.timed ? costs.timed : costs.count;
  const double test =
      costs.test + (work.timed ? costs.timed : 0) + static_cast<double>(work.steps) * costs.step;
  return static_cast<double>(hits) * hit + static_cast<double>(tests) * test;
}

void add_shared_hits(std::span<ProbeBudget::Cost> costs, double ns) {
  double all = 0;
  for (const ProbeBudget::Cost& cost : costs) all += cost.ns - cost.passing_ns;
  if (all <= 0) return;
  for (ProbeBudget::Cost& cost : costs) cost.ns += ns * (cost.ns - cost.passing_ns) / all;
}

void KnownHitCosts::measured(const HitCosts& latest) {
  if (!latest.known()) return;
  least_ = lower_of(least_, latest);
  for (const auto cost : kAllCosts) {
    double& now = now_.*cost;
    now = now <= 0 || latest.*cost < now ? latest.*cost : now + (latest.*cost - now) / 8;
    now = std::min(now, kMostAboveLeast * least_.*cost);
  }
}

bool KnownHitCosts::is_compiled(const HitCosts& latest) const {
  return least_.known() &&
         latest.count + latest.timed <= kAboutTheSame * (least_.count + least_.timed);
}

}  // namespace ddm
