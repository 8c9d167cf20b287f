// What a sampler's looks cost the threads that are looked at, reckoned from what can be measured here.
//
// A thread that stops for its stack loses no more CPU than its clock tells between asking and having
// it; what it computed until it came to where it can stop is in that too, a little or a lot. So the
// lower quarter of what was found lately is taken for what a stop costs. Whenever the sampler's thread
// wakes up or goes to sleep another one may be pushed off its processor, and loses what a switch
// takes. The sampler's thread alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace ddm {

class StopCost {
 public:
  // Measures what a switch takes.
  void begin();
  // A look at a program of which so many threads have run: with fewer than there are processors,
  // nobody has to make room.
  void look(std::size_t ran);

  // A thread was asked for its stack and has used so much CPU meanwhile; what it lost.
  std::int64_t stopped(std::int64_t used_ns) {
    if (used_ns <= 0) return 0;  // it waited, and did nothing for it
    const auto used = static_cast<double>(used_ns);
    if (stop_ns_ == 0) stop_ns_ = used;
    stop_ns_ *= used < stop_ns_ ? 1 - 3 * kStep : 1 + kStep;
    return static_cast<std::int64_t>(std::min(stop_ns_, used));
  }

  // Nobody is looked at any more.
  void end();

  // What the switches of this thread since the last time have cost others.
  std::int64_t switched();

 private:
  static constexpr double kStep = 1.0 / 32;

  const std::size_t processors_ = std::max(std::thread::hardware_concurrency(), 1U);
  bool crowded_ = false;
  double stop_ns_ = 0;
  std::int64_t switch_ns_ = 0;
  long switches_ = 0;  // until now
};

}  // namespace ddm
