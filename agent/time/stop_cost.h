// Estimates the CPU cost of sampling in the sampled threads, from what the sampler can measure.
//
// A stopped thread loses at most the CPU time between the request and the stack; that includes its
// own computing up to the safepoint poll, of any length. The lower quartile of recent values is
// taken as the cost of a stop. When all processors are busy, each wake-up of the sampler thread
// preempts another one, which costs a context switch. Used by the sampler thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace ddm {

class StopCost {
 public:
  // Measures the cost of a context switch.
  void begin();
  // A round in which `ran` threads have run: if fewer than the processors, none is preempted.
  void begin_round(std::size_t ran);

  // A thread used this CPU time between request and stack; returns its estimated loss.
  std::int64_t stopped(std::int64_t used_ns) {
    if (used_ns <= 0) return 0;  // it was blocked, and lost nothing
    const auto used = static_cast<double>(used_ns);
    if (stop_ns_ == 0) stop_ns_ = used;
    stop_ns_ *= used < stop_ns_ ? 1 - 3 * kStep : 1 + kStep;
    return static_cast<std::int64_t>(std::min(stop_ns_, used));
  }

  // Sampling has ended.
  void end();

  // Cost for other threads of this thread's context switches since the last call.
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
