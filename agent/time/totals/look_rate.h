// How often the sampler looks at a thread's clock: each round, or an idle thread in a round by
// chance. Which rounds those are does not depend on what the thread does in them, so a look stands
// for its round as often as it is rare: rounds() of them. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace ddm {

class LookRate {
 public:
  // An idle thread is looked at in one of 2^`most_quiet` rounds in the end. `patience`: idle looks
  // at one rate before the next, lower one.
  struct Limits {
    std::uint32_t most_quiet;
    std::uint32_t patience;
  };
  // At most so many rounds from one look to the next.
  static constexpr std::uint32_t kMostRounds = 31;

  // How many rounds the next look stands for.
  std::int64_t rounds() const { return std::int64_t{1} << quiet_; }

  // After a look, which found that the thread `ran` or not: rounds until the next.
  std::uint32_t next(bool ran, const Limits& limits, std::minstd_rand& random) {
    if (ran) {
      quiet_ = idle_ = 0;
    } else if (++idle_ >= limits.patience && quiet_ < limits.most_quiet) {
      ++quiet_;
      idle_ = 0;
    }
    if (quiet_ == 0) return 1;
    return std::min(1 + std::geometric_distribution<std::uint32_t>(1.0 / (1U << quiet_))(random),
                    kMostRounds);
  }

 private:
  std::uint32_t quiet_ = 0;
  std::uint32_t idle_ = 0;  // looks since the thread ran, or since quiet_ changed
};

}  // namespace ddm
