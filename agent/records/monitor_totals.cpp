#include "records/monitor_totals.h"

#include <algorithm>
#include <array>

namespace ddm {

void MonitorTotals::add(MonitorKind kind, NameId class_id, TraceNumber trace, std::int64_t ns) {
  Part& part = parts_[(class_id * 31 + trace) % kParts];
  const std::lock_guard lock(part.mutex);
  Key key{kind, class_id, trace};
  auto at = part.sums.find(key);
  if (at == part.sums.end() && part.sums.size() >= kMostTotals / kParts) {
    key.trace = kNoTrace;
    at = part.sums.find(key);
    if (at == part.sums.end() && part.sums.size() >= (kMostTotals + kMostClasses) / kParts) {
      key.class_id = kUnknownName;
    }
  }
  if (at == part.sums.end()) at = part.sums.try_emplace(key).first;
  ++at->second.count;
  at->second.ns += ns;
}

void MonitorTotals::clear() {
  for (Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    part.sums.clear();
  }
}

std::vector<MonitorTime> MonitorTotals::read(const Traces& traces) const {
  std::map<Key, Sum> all;  // what found no room may stand in several parts
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [key, sum] : part.sums) {
      all[key].count += sum.count;
      all[key].ns += sum.ns;
    }
  }
  std::vector<MonitorTime> result;
  result.reserve(all.size());
  std::array<Frame, kMaxDepth> frames;
  for (const auto& [key, sum] : all) {
    const std::size_t depth = traces.read(key.trace, frames);
    result.push_back({key.kind, key.class_id, sum.count, sum.ns,
                      {frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(depth)},
                      traces.cut(key.trace)});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const MonitorTime& a, const MonitorTime& b) { return a.ns > b.ns; });
  return result;
}

void MonitorTotals::add_names(NamesInUse& used) const {
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [key, sum] : part.sums) used.classes.insert(key.class_id);
  }
}

}  // namespace ddm
