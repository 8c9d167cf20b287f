#include "heap/concurrent_cycle.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "core/log.h"
#include "core/own_memory.h"
#include "vm/management.h"
#include "vm/perf_counters.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kCyclePatience{60'000}, kStep{50};
// The VM reads the flag again after the interval of its old value; 0 means one second.
constexpr std::uint64_t kLongestInterval = 5000;
constexpr char kInterval[] = "G1PeriodicGCInterval";

// Counts the pauses of G1's cycles: each cycle has two, the remark and the cleanup.
constexpr char kCyclePauses[] = "sun.gc.collector.2.invocations";

// Sets a manageable flag for the duration of a scope.
class WrittenFlag {
 public:
  WrittenFlag(JNIEnv* jni, const char* name, std::uint64_t value)
      : jni_(jni), name_(name), before_(vm_flags::word(name)), written_(before_ && write(value)) {}
  ~WrittenFlag() {
    if (written_ && !write(*before_)) log_error("{} could not be set to {}", name_, *before_);
  }
  WrittenFlag(const WrittenFlag&) = delete;
  WrittenFlag& operator=(const WrittenFlag&) = delete;
  bool written() const { return written_; }

 private:
  bool write(std::uint64_t value) const {
    management::run_diagnostic_command(jni_, fmt::format("VM.set_flag {} {}", name_, value));
    return vm_flags::word(name_) == value;  // the command's output differs between releases
  }

  JNIEnv* const jni_;
  const char* const name_;
  const std::optional<std::uint64_t> before_;
  const bool written_;
};

}  // namespace

bool run_concurrent_cycle(JNIEnv* jni, const std::function<bool()>& ends) {
  // The VM may be configured to make the periodic collection a full one.
  for (const char* flag : {"UseG1GC", "G1PeriodicGCInvokesConcurrent"}) {
    if (vm_flags::boolean(flag) != true) return false;
  }
  const auto pauses = perf_counter_address(kCyclePauses);
  auto last = pauses ? read_own<std::int64_t>(*pauses) : std::nullopt;
  if (!last || vm_flags::word(kInterval).value_or(0) > kLongestInterval) return false;
  const WrittenFlag often(jni, kInterval, 1);
  if (!often.written()) return false;
  // A cycle in progress at the call has up to two pauses left; the third is the remark of the next
  // cycle.
  constexpr int kPauses = 3;
  const std::int64_t enough = *last + kPauses;
  for (auto changed = Clock::now(); !ends() && Clock::now() - changed < kCyclePatience;) {
    std::this_thread::sleep_for(kStep);
    const auto now = read_own<std::int64_t>(*pauses);
    if (!now || *now >= enough) return now.has_value();
    if (now != last) changed = Clock::now();
    last = now;
  }
  return false;
}

}  // namespace ddm
