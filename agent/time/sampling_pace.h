// The pause between rounds of sampling: as requested, or longer where sampling would exceed the
// budget. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "time/time_options.h"

namespace ddm {

class SamplingPace {
 public:
  // `budget`: percent of one CPU, for all users.
  SamplingPace(std::int64_t requested_ns, std::int64_t budget)
      : requested_ns_(requested_ns), budget_(budget) {}

  std::int64_t requested_ns() const { return requested_ns_; }
  std::int64_t budget() const { return budget_; }

  // Call after each round. The mean over about the last sixteen rounds decides, initially over all;
  // overspending, also while the cost was rising, is compensated by longer pauses.
  void add_round(std::int64_t cost_ns) {
    const auto cost = static_cast<double>(cost_ns);
    const double paid =
        rounds_ == 0 ? 0 : static_cast<double>(interval_ns()) * share_ / 100 / kReserve;
    debt_ns_ = std::clamp(debt_ns_ + cost - paid, 0.0, kLongest * share_ / 100);
    rounds_ = std::min(rounds_ + 1, kRounds);
    mean_cost_ns_ += (cost - mean_cost_ns_) / rounds_;
  }

  // The others' share of the budget, in percent of one CPU. At least a quarter remains.
  void set_others_percent(double percent) {
    share_ = std::max(static_cast<double>(budget_) - percent, static_cast<double>(budget_) / 4);
  }

  // Mean time from one round to the next.
  std::int64_t interval_ns() const {
    const double cost_ns = mean_cost_ns_ + debt_ns_ / kRounds;
    const auto affordable = static_cast<std::int64_t>(cost_ns * 100 / share_ * kReserve);
    return std::clamp(affordable, requested_ns_, std::max(requested_ns_, kLongest));
  }

  // The interval on average, randomized to avoid lockstep with the program: by up to half, or
  // exponentially, which makes all moments equally likely. `random`: any 32 bits.
  std::int64_t pause_ns(std::uint32_t random, SamplingDelay delay = SamplingDelay::kVaried) const {
    const std::int64_t interval = interval_ns();
    if (delay == SamplingDelay::kFixed) return interval;
    const double chance = (static_cast<double>(random) + 0.5) / 4294967296.0;
    const double part = delay == SamplingDelay::kExponential ? -std::log(chance) : chance + 0.5;
    return static_cast<std::int64_t>(static_cast<double>(interval) * part);
  }

 private:
  static constexpr double kRounds = 16;
  // For cost that cannot be measured: a program took 5.9 %, and 1.1 would keep it at 5 (JDK 17).
  static constexpr double kReserve = 1.3;
  static constexpr std::int64_t kLongest = 10'000'000'000;

  const std::int64_t requested_ns_;
  const std::int64_t budget_;
  double share_ = static_cast<double>(budget_);
  double rounds_ = 0;  // number of rounds in the mean
  double mean_cost_ns_ = 0;
  double debt_ns_ = 0;  // spent beyond what the pauses allow for
};

}  // namespace ddm
