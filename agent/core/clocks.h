// The system's clocks, in one unit each: nanoseconds of a clock, milliseconds or microseconds since
// the epoch. Where a reading is to cost next to nothing: core/tick_clock.h.
#pragma once

#include <time.h>

#include <cstdint>

namespace ddm {

inline std::int64_t nanos_of(clockid_t clock) noexcept {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return -1;
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

inline std::int64_t monotonic_ns() noexcept { return nanos_of(CLOCK_MONOTONIC); }
inline std::int64_t cpu_of_this_thread_ns() noexcept { return nanos_of(CLOCK_THREAD_CPUTIME_ID); }

// CPU time of the thread with this OS id. The clock id is computed as pthread_getcpuclockid() does,
// so no pthread_t of a thread that may have ended is dereferenced. -1: the thread has ended.
inline std::int64_t cpu_of_thread_ns(std::uint32_t os_id) noexcept {
  constexpr std::uint32_t kCpuOfThread = 6;
  return nanos_of(static_cast<clockid_t>((~os_id << 3) | kCpuOfThread));
}

inline std::int64_t epoch_us() noexcept { return nanos_of(CLOCK_REALTIME) / 1'000; }
inline std::int64_t epoch_ms() noexcept { return nanos_of(CLOCK_REALTIME) / 1'000'000; }
// The time of records: 4 ms resolution, without a system call.
inline std::int64_t coarse_epoch_ms() noexcept {
  return nanos_of(CLOCK_REALTIME_COARSE) / 1'000'000;
}

}  // namespace ddm
