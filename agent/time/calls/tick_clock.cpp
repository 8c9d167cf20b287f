#include "time/calls/tick_clock.h"

#include <fstream>
#include <mutex>
#include <string>

namespace ddm {
namespace {

constexpr std::uint64_t kCalibrationNanos = 200'000;
constexpr std::uint64_t kNanosBetweenReadings = 100'000;

#if defined(__x86_64__)
// The kernel watches the counter against other clocks, and lets go of it when they drift apart.
bool kernel_trusts_the_counter() {
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  if (source == "tsc") return true;
  if (source != "kvm-clock") return false;
  bool constant = false, nonstop = false;
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string word; cpus >> word && word != "bugs";) {
    constant = constant || word == "constant_tsc";
    nonstop = nonstop || word == "nonstop_tsc";
  }
  return constant && nonstop;
}
#endif

}  // namespace

bool TickClock::s_counts_cycles = false;
double TickClock::s_nanos_per_tick = 1.0;
Ticks ThreadCpuClock::s_ticks_between = kNanosBetweenReadings;

void TickClock::calibrate() {
  static std::once_flag once;
  std::call_once(once, [] {
#if defined(__x86_64__)
    if (!kernel_trusts_the_counter()) return;
    const std::uint64_t begin_nanos = monotonic_nanos();
    const Ticks begin = __rdtsc();
    std::uint64_t end_nanos = begin_nanos;
    while (end_nanos - begin_nanos < kCalibrationNanos) end_nanos = monotonic_nanos();
    const Ticks end = __rdtsc();
    if (end <= begin) return;
    s_nanos_per_tick =
        static_cast<double>(end_nanos - begin_nanos) / static_cast<double>(end - begin);
    s_counts_cycles = true;
    ThreadCpuClock::s_ticks_between = ticks(kNanosBetweenReadings);
#endif
  });
}

void ThreadCpuClock::read(Ticks now) noexcept {
  const Ticks cpu = TickClock::ticks(TickClock::nanos_of(CLOCK_THREAD_CPUTIME_ID));
  read_at_ = now;
  cpu_ = cpu > last_ ? cpu : last_;
}

}  // namespace ddm
