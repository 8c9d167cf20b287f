#include "report/time_stacks.h"

namespace ddm {

TimeStacks TimeStacks::of_methods(const TimeData& time) {
  TimeStacks all(Of::kMethods);
  std::vector<Frame> frames;
  for (const MethodPath& path : time.method_paths) {
    frames.clear();
    for (const MethodPath* at = &path;;
         at = &time.method_paths[static_cast<std::size_t>(at->caller)]) {
      frames.push_back({time.methods[at->method].name, kNativeFrameBci});
      if (at->caller == MethodPath::kNoCaller) break;
    }
    all.add({path.self_ns, path.calls}, frames);
  }
  return all;
}

TimeStacks TimeStacks::of_samples(const TimeData& time) {
  TimeStacks all(Of::kSamples);
  for (const StackSample& sample : time.samples) {
    all.add({sample.count, sample.count, sample.cut}, sample.frames);
  }
  return all;
}

TimeStacks TimeStacks::of_locks(const TimeData& time) {
  TimeStacks all(Of::kLocks);
  for (const MonitorTime& monitor : time.monitors) {
    if (monitor.kind == MonitorKind::kPin) continue;
    all.add({monitor.ns, monitor.count, monitor.cut, monitor.class_id, monitor.kind},
            monitor.frames);
  }
  return all;
}

TimeStacks TimeStacks::first_of(const TimeData& time) {
  if (time.sampler || !time.samples.empty()) return of_samples(time);
  return time.methods.empty() ? of_locks(time) : of_methods(time);
}

void TimeStacks::add(Stack stack, std::span<const Frame> frames) {
  stack.begin = frames_.size();
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  stack.end = frames_.size();
  stacks_.push_back(stack);
}

std::int64_t TimeStacks::amount() const {
  std::int64_t sum = 0;
  for (const Stack& stack : stacks_) sum += stack.amount;
  return sum;
}

std::int64_t TimeStacks::count() const {
  std::int64_t sum = 0;
  for (const Stack& stack : stacks_) sum += stack.count;
  return sum;
}

}  // namespace ddm
