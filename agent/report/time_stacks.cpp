#include "report/time_stacks.h"

namespace ddm {

TimeStacks TimeStacks::of_methods(const TimeData& time) {
  TimeStacks all{Of::kMethods};
  for (const MethodPath& path : time.method_paths) {
    TimeStack& stack = all.list.emplace_back(TimeStack{path.self_ns, path.calls});
    for (const MethodPath* at = &path;;
         at = &time.method_paths[static_cast<std::size_t>(at->caller)]) {
      stack.frames.push_back({time.methods[at->method].name, kNativeFrameBci});
      if (at->caller == MethodPath::kNoCaller) break;
    }
  }
  return all;
}

TimeStacks TimeStacks::of_samples(const TimeData& time) {
  TimeStacks all{Of::kSamples};
  for (const StackSample& sample : time.samples) {
    all.list.push_back({sample.count, sample.count, sample.cut, sample.frames});
  }
  return all;
}

TimeStacks TimeStacks::of_locks(const TimeData& time) {
  TimeStacks all{Of::kLocks};
  for (const MonitorTime& monitor : time.monitors) {
    if (monitor.kind == MonitorKind::kPin) continue;
    all.list.push_back(
        {monitor.ns, monitor.count, monitor.cut, monitor.frames, monitor.class_id, monitor.kind});
  }
  return all;
}

TimeStacks TimeStacks::first_of(const TimeData& time) {
  if (time.sampler || !time.samples.empty()) return of_samples(time);
  return time.methods.empty() ? of_locks(time) : of_methods(time);
}

}  // namespace ddm
