#include "time/totals/monitor_totals.h"

#include <algorithm>
#include <functional>

namespace ddm {

ThreadNumber MonitorTotals::holder_number(std::string_view name) {
  const std::lock_guard lock(names_mutex_);
  return names_.number_of(name);
}

std::string MonitorTotals::holder_name(ThreadNumber number) const {
  if (number == HeldBy::kUnknown) return "";
  const std::lock_guard lock(names_mutex_);
  return std::string(names_.name_of(number));
}

void MonitorTotals::add(MonitorKind kind, NameId class_id, TraceNumber trace, std::int64_t ns,
                        HeldBy holder) {
  Part& part = parts_[(class_id * 31 + trace) % kParts];
  const std::lock_guard lock(part.mutex);
  Key key{kind, class_id, trace, holder};
  auto at = part.sums.find(key);
  if (at == part.sums.end() && part.sums.size() >= kMostTotals / kParts) {
    key.holder = {};
    at = part.sums.find(key);
    if (at == part.sums.end()) {
      key.trace = kNoTrace;
      at = part.sums.find(key);
    }
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

std::vector<MonitorTime> MonitorTotals::read(const CallTree& traces) const {
  std::map<Key, Sum> all;  // overflow totals may be in several parts
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [key, sum] : part.sums) {
      all[key].count += sum.count;
      all[key].ns += sum.ns;
    }
  }
  std::array<Frame, kMaxTreeDepth> buffer;
  const auto frames_of = [&](TraceNumber trace) {
    const std::size_t depth = traces.read(trace, buffer);
    return std::vector<Frame>(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(depth));
  };
  std::vector<MonitorTime> result;
  const Key* last = nullptr;
  for (const auto& [key, sum] : all) {
    if (last == nullptr || key.kind != last->kind || key.class_id != last->class_id ||
        key.trace != last->trace) {
      result.push_back({key.kind, key.class_id, 0, 0, frames_of(key.trace), traces.cut(key.trace)});
    }
    last = &key;
    MonitorTime& monitor = result.back();
    monitor.count += sum.count;
    monitor.ns += sum.ns;
    if (key.holder.thread == HeldBy::kUnknown) continue;
    monitor.holders.push_back({holder_name(key.holder.thread), sum.count, sum.ns,
                               frames_of(key.holder.trace), traces.cut(key.holder.trace)});
  }
  for (MonitorTime& monitor : result) {
    std::ranges::stable_sort(monitor.holders, std::greater(), &LockHolder::ns);
  }
  std::ranges::stable_sort(result, std::greater(), &MonitorTime::ns);
  return result;
}

void MonitorTotals::add_names(NamesInUse& used) const {
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [key, sum] : part.sums) used.classes.insert(key.class_id);
  }
}

}  // namespace ddm
