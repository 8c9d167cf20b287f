#include "probes/plans/probe_budget.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddm {
namespace {

constexpr double kLeastShare = 0.25;         // of one processor
constexpr double kRecentNs = 5'000'000'000;  // time constant: older costs have the weight 1/e
// A new probe may spend the budget of kFirstNs at once, and then kFirstTimes the budget, until the
// regular limit allows as much.
constexpr double kFirstNs = 150'000'000, kFirstTimes = 20;
// After one new probe is removed, more follow while all new ones cost this many times the budget.
constexpr double kTogetherTimes = 2;
constexpr double kYoungNs = (kRecentNs - kFirstNs) / kFirstTimes;

}  // namespace

std::vector<std::uint64_t> ProbeBudget::step(const Step& step) {
  const double wall = std::max(step.wall_ns, 1.0);
  const double kept = std::exp(-wall / kRecentNs);
  double cost = step.other_ns, recent = recent_other_ns_ = recent_other_ns_ * kept + step.other_ns;
  std::map<std::uint64_t, Recent> recent_probes;
  for (const Cost& probe : step.probes) {
    const auto before = recent_.find(probe.probe);
    const Recent was = before == recent_.end() ? Recent{} : before->second;
    const Recent& is = recent_probes[probe.probe] = {
        was.ns * kept + probe.ns, was.lasting_ns * kept + probe.ns - probe.passing_ns,
        was.age_ns + wall};
    cost += probe.ns;
    recent += is.ns;
  }
  recent_ = std::move(recent_probes);
  const double base = std::max(step.cpu_ns - cost, kLeastShare * wall);
  used_ns_ += cost;
  other_ns_ += step.other_ns;
  base_ns_ += base;
  recent_base_ns_ = recent_base_ns_ * kept + base;
  recent_wall_ns_ = recent_wall_ns_ * kept + wall;
  return costliest(recent, wall / (1 - kept));
}

// The highest costs first. `recent`: the recent cost of all probes; `window_ns`: over this time.
std::vector<std::uint64_t> ProbeBudget::costliest(double recent, double window_ns) {
  // Assumes that the program used as much CPU before the first step as it did since.
  const double budget_of_ns = percent_ / 100 * recent_base_ns_ / recent_wall_ns_;
  const auto sorted_by = [this](double Recent::*by) {
    std::vector<std::pair<std::uint64_t, Recent>> sorted(recent_.begin(), recent_.end());
    std::erase_if(sorted, [by](const auto& probe) { return probe.second.*by <= 0; });
    std::ranges::stable_sort(sorted, std::greater<>(), [by](auto& one) { return one.second.*by; });
    return sorted;
  };
  const auto by_lasting = sorted_by(&Recent::lasting_ns), by_all = sorted_by(&Recent::ns);
  double young = 0;
  for (const auto& [number, probe] : by_lasting) {
    if (probe.age_ns < kYoungNs) young += probe.lasting_ns;
  }
  std::vector<std::uint64_t> removed;
  const auto remove = [&](std::uint64_t number, double ns) {
    recent -= ns;
    recent_.erase(number);
    removed.push_back(number);
  };
  for (const auto& [number, probe] : by_lasting) {
    if (probe.age_ns >= kYoungNs) continue;
    const double budget_of =
        removed.empty() ? kFirstNs + kFirstTimes * probe.age_ns : kTogetherTimes * probe.age_ns;
    if (young <= budget_of_ns * budget_of) break;
    young -= probe.lasting_ns;
    remove(number, probe.ns);
  }
  for (const auto& [number, probe] : by_all) {
    if (recent <= budget_of_ns * window_ns) break;
    if (recent_.contains(number)) remove(number, probe.ns);
  }
  return removed;
}

double ProbeBudget::used_percent() const { return base_ns_ > 0 ? 100 * used_ns_ / base_ns_ : 0; }
double ProbeBudget::other_percent() const { return base_ns_ > 0 ? 100 * other_ns_ / base_ns_ : 0; }

}  // namespace ddm
