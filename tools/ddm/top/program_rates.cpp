#include "top/program_rates.h"

#include <algorithm>
#include <functional>

#include "report_fetch.h"
#include "switched_options.h"

namespace ddm {
std::optional<Error> ProgramRates::measure(RowsBy by) {
  auto figures = fetch_figures(client_);
  if (!figures) return figures.error();
  const auto threads = list_threads(client_);
  if (!threads) return threads.error();
  const auto now = std::chrono::steady_clock::now();
  const double passed = std::max(std::chrono::duration<double>(now - at_).count(), 0.001);
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
