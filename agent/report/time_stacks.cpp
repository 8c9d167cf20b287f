#include "report/time_stacks.h"

namespace ddm {

TimeStacks TimeStacks::of_methods(const TimeData& time) {
  TimeStacks all(Of::kMethods);
  for (const MethodPath& path : time.method_paths) {
    for (const MethodPath* at = &path;;
         at = &time.method_paths[static_cast<std::size_t>(at->caller)]) {
      all.frames_.push_back({time.methods[at->method].name, kNativeFrameBci});
      if (at->caller == MethodPath::kNoCaller) break;
    }
    Stack stack;
    stack.amount = path.self_ns;
    stack.count = path.calls;
    all.end(stack);
  }
  return all;
}

TimeStacks TimeStacks::of_samples(const TimeData& time) {
  TimeStacks all(Of::kSamples);
  for (const StackSample& sample : time.samples) {
    Stack stack;
    stack.amount = stack.count = sample.count;
    stack.cut = sample.cut;
    all.add(stack, sample.frames);
  }
  return all;
}

TimeStacks TimeStacks::of_locks(const TimeData& time) {
  TimeStacks all(Of::kLocks);
  for (const MonitorTime& monitor : time.monitors) {
    if (monitor.kind == MonitorKind::kPin) continue;
    Stack stack;
    stack.amount = monitor.ns;
    stack.count = monitor.count;
    stack.class_id = monitor.class_id;
    stack.kind = monitor.kind;
    stack.cut = monitor.cut;
    all.add(stack, monitor.frames);
  }
  return all;
}

TimeStacks TimeStacks::first_of(const TimeData& time) {
  if (time.sampler || !time.samples.empty()) return of_samples(time);
  return time.methods.empty() ? of_locks(time) : of_methods(time);
}

void TimeStacks::add(Stack stack, std::span<const Frame> frames) {
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  end(stack);
}

void TimeStacks::end(Stack stack) {
  stack.begin = stacks_.empty() ? 0 : stacks_.back().end;
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
