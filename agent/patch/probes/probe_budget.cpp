#include "patch/probes/probe_budget.h"

#include <algorithm>
#include <cmath>

namespace ddm {
namespace {

constexpr double kLeastShare = 0.25;       // of one processor
constexpr double kLateNs = 5'000'000'000;  // after which what was counts 1/e

}  // namespace

std::vector<std::uint64_t> ProbeBudget::step(const Step& step) {
  const double kept = std::exp(-step.wall_ns / kLateNs);
  double cost = step.other_ns, late = late_other_ns_ = late_other_ns_ * kept + step.other_ns;
  std::map<std::uint64_t, double> late_ns;
  std::vector<Cost> dearest;
  for (const Cost& probe : step.probes) {
    cost += probe.ns;
    const auto before = late_ns_.find(probe.probe);
    const double ns = probe.ns + (before == late_ns_.end() ? 0 : before->second * kept);
    late += ns;
    late_ns[probe.probe] = ns;
    if (ns > 0) dearest.push_back({probe.probe, ns});
  }
  late_ns_ = std::move(late_ns);
  const double base = std::max(step.cpu_ns - cost, kLeastShare * step.wall_ns);
  used_ns_ += cost;
  base_ns_ += base;
  // As if the program had always been as it is in the first step.
  late_base_ns_ = late_base_ns_ > 0 ? late_base_ns_ * kept + base : base / (1 - kept);
  std::stable_sort(dearest.begin(), dearest.end(),
                   [](const Cost& a, const Cost& b) { return a.ns > b.ns; });
  std::vector<std::uint64_t> gone;
  for (const Cost& probe : dearest) {
    if (late <= late_base_ns_ * percent_ / 100) break;
    late -= probe.ns;
    late_ns_.erase(probe.probe);
    gone.push_back(probe.probe);
  }
  return gone;
}

double ProbeBudget::used_percent() const { return base_ns_ > 0 ? 100 * used_ns_ / base_ns_ : 0; }

}  // namespace ddm
