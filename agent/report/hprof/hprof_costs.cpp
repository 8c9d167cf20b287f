#include "report/hprof/hprof_costs.h"

#include <algorithm>
#include <tuple>

namespace ddm {

void HprofCosts::add(std::vector<HprofFrame> stack, NameId class_id, std::int64_t count,
                     std::int64_t cost) {
  std::string key(reinterpret_cast<const char*>(stack.data()), stack.size() * sizeof(HprofFrame));
  const auto [at, fresh] = places_.emplace(std::pair(std::move(key), class_id), list_.size());
  if (fresh) list_.push_back({std::move(stack), class_id, 0, 0});
  list_[at->second].count += count;
  list_[at->second].cost += cost;
  total_ += cost;
}

void HprofCosts::finish(double cutoff) {
  std::erase_if(list_, [&](const HprofCost& cost) { return share(cost) < cutoff; });
  std::ranges::stable_sort(list_, [](const HprofCost& a, const HprofCost& b) {
    return std::tie(b.cost, b.count) < std::tie(a.cost, a.count);
  });
}

HprofCosts HprofCosts::samples(const TimeData& time, ReportNames& names, const HprofView& view) {
  HprofCosts costs;
  for (const StackSample& sample : time.samples) {
    costs.add(hprof_stack(sample.frames, names, view), kUnknownName, sample.count, sample.count);
  }
  costs.finish(view.cutoff);
  return costs;
}

HprofCosts HprofCosts::times(const TimeData& time, const HprofView& view) {
  HprofCosts costs;
  for (const MethodPath& path : time.method_paths) {
    if (path.calls == 0 && path.self_ns == 0) continue;
    std::vector<HprofFrame> stack;
    for (const MethodPath* at = &path; stack.size() < view.depth;
         at = &time.method_paths[static_cast<std::size_t>(at->caller)]) {
      stack.push_back({time.methods[at->method].name, kLineUnknown});
      if (at->caller == MethodPath::kNoCaller) break;
    }
    costs.add(std::move(stack), kUnknownName, path.calls, path.self_ns);
  }
  costs.finish(view.cutoff);
  return costs;
}

HprofCosts HprofCosts::monitors(const TimeData& time, ReportNames& names, const HprofView& view) {
  HprofCosts costs;
  for (const MonitorTime& monitor : time.monitors) {
    if (monitor.kind != MonitorKind::kEnter) continue;
    costs.add(hprof_stack(monitor.frames, names, view), monitor.class_id, monitor.count,
              monitor.ns);
  }
  costs.finish(view.cutoff);
  return costs;
}

}  // namespace ddm
