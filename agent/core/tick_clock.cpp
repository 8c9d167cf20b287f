#include "core/tick_clock.h"

#include <fstream>
#include <mutex>
#include <string>

namespace ddm {
namespace {

constexpr std::uint64_t kCalibrationNanos = 200'000;
constexpr int kReadings = 10;
constexpr std::uint64_t kNanosBetweenReadings = 100'000;

#if defined(__x86_64__)
// The kernel checks the TSC against other clocks and abandons it when they diverge.
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

struct BothClocks {
  Ticks ticks;
  std::uint64_t nanos;
};

// Both clocks at one moment. A preemption between the two readings would count as ticks, so the
// closest of several pairs is taken.
BothClocks read_both() {
  BothClocks closest{};
  Ticks closest_apart = ~Ticks{0};
  for (int i = 0; i < kReadings; ++i) {
    const Ticks before = __rdtsc();
    const std::uint64_t nanos = TickClock::monotonic_nanos();
    const Ticks apart = __rdtsc() - before;
    if (apart >= closest_apart) continue;
    closest_apart = apart;
    closest = {before + apart / 2, nanos};
  }
  return closest;
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
    const BothClocks begin = read_both();
    while (monotonic_nanos() - begin.nanos < kCalibrationNanos) {
    }
    const BothClocks end = read_both();
    if (end.ticks <= begin.ticks) return;
    s_nanos_per_tick =
        static_cast<double>(end.nanos - begin.nanos) / static_cast<double>(end.ticks - begin.ticks);
    s_counts_cycles = true;
    ThreadCpuClock::s_ticks_between = ticks(kNanosBetweenReadings);
#endif
  });
}

// Returns the time when it was read.
Ticks ThreadCpuClock::read() noexcept {
  const Ticks cpu = TickClock::ticks(static_cast<std::uint64_t>(cpu_of_this_thread_ns()));
  cpu_ = cpu > last_ ? cpu : last_;
  return read_at_ = TickClock::now();
}

}  // namespace ddm
