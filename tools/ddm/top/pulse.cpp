#include "top/pulse.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "containers/published.h"
#include "core/whole_text.h"
#include "proc_stat.h"
#include "report_fetch.h"
#include "target.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

bool is_tracking(DdmClient& client) {
  const auto state = client.get<TrackingState>({TrackingState::kType, {}});
  return state && state->on;
}

double seconds_from(PulseClock::time_point begin, PulseClock::time_point end) {
  return std::max(std::chrono::duration<double>(end - begin).count(), 0.001);
}

}  // namespace

std::vector<JvmPulse> AllPulses::look() {
  std::vector<JvmPulse> pulses;
  std::map<pid_t, Known> still;
  for (const Target& target : all_targets()) {
    auto known = known_.find(target.pid);
    if (known == known_.end()) {
      auto client = connect_to_target(std::to_string(target.pid));
      if (!client) continue;
      known = known_.emplace(target.pid, Known{std::move(*client), target.app, {}, 0, {}}).first;
    }
    auto pulse = look_at(target.pid, known->second);
    if (!pulse) continue;
    pulses.push_back(std::move(*pulse));
    still.insert(known_.extract(known));
  }
  known_ = std::move(still);
  return pulses;
}

std::optional<JvmPulse> AllPulses::look_at(pid_t pid, Known& known) {
  const auto figures = jvm_figures(known.client);
  if (!figures) return {};
  JvmPulse pulse{pid, known.app, {}, figures->live_bytes, 0};
  if (!pulse.live_bytes) pulse.live_bytes = figures->heap_used;
  const auto now = PulseClock::now();
  const double passed = seconds_from(known.at, now);
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", pid));
  const std::int64_t ticks = stat ? stat->cpu_ticks : 0;
  if (known.before) {
    pulse.cpu_percent = 100.0 * static_cast<double>(ticks - known.cpu_ticks) /
                        static_cast<double>(sysconf(_SC_CLK_TCK)) / passed;
  }
  pulse.bytes_per_second = bytes_per_second(known.before, *figures, now - known.at);
  known.before = *figures;
  known.cpu_ticks = ticks;
  known.at = now;
  return pulse;
}

std::optional<Error> OnePulse::look(RowsBy by) {
  auto figures = fetch_figures(client_);
  if (!figures) return figures.error();
  const auto threads = list_threads(client_);
  if (!threads) return threads.error();
  const auto now = PulseClock::now();
  const double passed = seconds_from(at_, now);
  tracking_ = figures->of_whole_run() && is_tracking(client_);
  sites_.clear();
  threads_.clear();
  if (!first_ && tracking_ && figures->fact("period") == before_.fact("period")) {
    for (SiteRow& row : rows_between(before_, *figures, by)) {
      if (row.count <= 0) continue;
      const auto bytes = static_cast<double>(row.bytes), count = static_cast<double>(row.count);
      sites_.push_back({std::move(row), bytes / passed, count / passed});
    }
  }
  std::map<std::int64_t, std::uint32_t> ticks;
  for (const auto& [id, status, name] : *threads) {
    ticks[id] = status.user_ticks + status.system_ticks;
    const auto before = ticks_.find(id);
    if (first_ || before == ticks_.end()) continue;
    // On the wire they are hundredths of a second.
    threads_.push_back({id, name, static_cast<double>(ticks[id] - before->second) / passed});
  }
  std::ranges::stable_sort(threads_, std::greater<>(), &ThreadPulse::cpu_percent);
  before_ = std::move(*figures);
  ticks_ = std::move(ticks);
  at_ = now;
  first_ = false;
  return {};
}

}  // namespace ddm
