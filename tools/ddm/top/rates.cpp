#include "top/rates.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "containers/published.h"
#include "core/proc_stat.h"
#include "report_fetch.h"
#include "switched_options.h"
#include "target.h"

namespace ddm {
namespace {

double seconds_from(RatesClock::time_point begin, RatesClock::time_point end) {
  return std::max(std::chrono::duration<double>(end - begin).count(), 0.001);
}

}  // namespace

std::vector<JvmRates> AllJvmRates::measure() {
  std::vector<JvmRates> all;
  std::map<pid_t, Connected> current;
  for (const Target& target : all_targets()) {
    auto connected = connected_.find(target.pid);
    if (connected == connected_.end()) {
      auto client = connect_to_target(std::to_string(target.pid));
      if (!client) continue;
      connected =
          connected_.emplace(target.pid, Connected{std::move(*client), target.app, {}, 0, {}})
              .first;
    }
    auto rates = measure_one(target.pid, connected->second);
    if (!rates) continue;
    all.push_back(std::move(*rates));
    current.insert(connected_.extract(connected));
  }
  connected_ = std::move(current);
  return all;
}

std::optional<JvmRates> AllJvmRates::measure_one(pid_t pid, Connected& connected) {
  const auto figures = jvm_figures(connected.client);
  if (!figures) return {};
  JvmRates rates{pid, connected.app, {}, figures->live_bytes, 0};
  if (!rates.live_bytes) rates.live_bytes = figures->heap_used;
  const auto now = RatesClock::now();
  const double passed = seconds_from(connected.at, now);
  const auto stat = read_proc_stat(fmt::format("/proc/{}/stat", pid));
  const std::int64_t ticks = stat ? stat->cpu_ticks : 0;
  if (connected.before) {
    rates.cpu_percent = 100.0 * static_cast<double>(ticks - connected.cpu_ticks) /
                        static_cast<double>(sysconf(_SC_CLK_TCK)) / passed;
  }
  rates.bytes_per_second = bytes_per_second(connected.before, *figures, now - connected.at);
  connected.before = *figures;
  connected.cpu_ticks = ticks;
  connected.at = now;
  return rates;
}

std::optional<Error> OneJvmRates::measure(RowsBy by) {
  auto figures = fetch_figures(client_);
  if (!figures) return figures.error();
  const auto threads = list_threads(client_);
  if (!threads) return threads.error();
  const auto now = RatesClock::now();
  const double passed = seconds_from(at_, now);
  tracking_ = figures->covers_whole_run() && is_tracking(client_);
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
    // DDM's ticks are hundredths of a second.
    threads_.push_back({id, name, static_cast<double>(ticks[id] - before->second) / passed});
  }
  std::ranges::stable_sort(threads_, std::greater<>(), &ThreadRates::cpu_percent);
  before_ = std::move(*figures);
  ticks_ = std::move(ticks);
  at_ = now;
  first_ = false;
  return {};
}

}  // namespace ddm
