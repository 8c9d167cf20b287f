#include "patch/probes/probe_budget.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr double kLeastShare = 0.25;      // of one processor
// Of running at the limit: what may be saved, and what may be owed.
constexpr double kMostCreditNs = 500'000'000, kMostDebtNs = 2'000'000'000;

}  // namespace

std::optional<std::uint32_t> ProbeBudget::step(const Step& step) {
  double cost = step.other_ns;
  const Cost* dearest = nullptr;
  for (const Cost& probe : step.probes) {
    cost += probe.ns;
    if (probe.ns > 0 && (dearest == nullptr || probe.ns > dearest->ns)) dearest = &probe;
  }
  const double base = std::max(step.cpu_ns - cost, kLeastShare * step.wall_ns);
  const double allowed = base * percent_ / 100;
  used_ns_ += cost;
  base_ns_ += base;
  // What may be used in a burst goes with how busy the program is.
  const double share = step.wall_ns > 0 ? allowed / step.wall_ns : 0;
  credit_ns_ = std::min(credit_ns_ + allowed - cost, share * kMostCreditNs);
  if (credit_ns_ >= -share * kMostDebtNs || dearest == nullptr) return {};
  credit_ns_ = 0;  // who is left begins anew
  return dearest->probe;
}

double ProbeBudget::used_percent() const { return base_ns_ > 0 ? 100 * used_ns_ / base_ns_ : 0; }

}  // namespace ddm
