// Wall time for the price of one instruction: the TSC where it has one constant rate on all
// processors, else CLOCK_MONOTONIC. And the CPU time of the calling thread, a system call that is
// made rarely. Any thread.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "core/clocks.h"

namespace ddm {

using Ticks = std::uint64_t;

class TickClock {
 public:
  static Ticks now() noexcept {
#if defined(__x86_64__)
    if (s_counts_cycles) [[likely]]
      return __rdtsc();
#endif
    return monotonic_nanos();
  }

  // Measures the tick rate, at the first call; about 0.2 ms. Call before anything else here.
  static void calibrate();

  static std::uint64_t nanos(Ticks ticks) noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * s_nanos_per_tick);
  }
  static Ticks ticks(std::uint64_t nanos) noexcept {
    return static_cast<Ticks>(static_cast<double>(nanos) / s_nanos_per_tick);
  }

  static std::uint64_t monotonic_nanos() noexcept {
    return static_cast<std::uint64_t>(monotonic_ns());
  }

 private:
  static bool s_counts_cycles;
  static double s_nanos_per_tick;
};

// The CPU time of one thread, used by that thread alone, in ticks. It is read at most every 100 us
// and advances with wall time in between: it may be ahead by that much, and never decreases.
class ThreadCpuClock {
 public:
  Ticks ticks(Ticks now) noexcept { return advance(now); }
  // If it is read, `now` becomes the time after that: a thread whose turn on its processor is over
  // loses it in the system call, and may have it back only after many milliseconds.
  Ticks advance(Ticks& now) noexcept {
    if (now - read_at_ > s_ticks_between) [[unlikely]]
      now = read();
    return last_ = cpu_ + (now - read_at_);
  }

 private:
  friend class TickClock;
  Ticks read() noexcept;
  static Ticks s_ticks_between;

  Ticks read_at_ = 0;
  Ticks cpu_ = 0;
  Ticks last_ = 0;
};

}  // namespace ddm
