#include "time/sample_trace.h"

#include <unistd.h>

#include <vector>

#include "core/clocks.h"

namespace ddm {

SampleTrace::SampleTrace(const NameTable& names, std::int64_t interval_ns, std::size_t bytes,
                         bool dual)
    : names_(names),
      interval_ns_(interval_ns),
      begin_ns_(monotonic_ns()),
      calls_(events_in_trace(bytes, dual)) {
  trace_.dual = dual;
  trace_.pid = getpid();
  trace_.interval_micros = static_cast<std::uint64_t>(interval_ns) / 1000;
  trace_.begin_micros = static_cast<std::uint64_t>(epoch_us());
}

void SampleTrace::add(std::int64_t java_id, const std::string& name, std::uint32_t os_id,
                      std::span<const Frame> frames, std::int64_t now_ns, std::int64_t cpu_ns) {
  auto found = threads_.find(java_id);
  if (found == threads_.end()) {
    bool is_new = false;
    const std::uint16_t number = numbers_.number_of(java_id, is_new);
    if (number == 0) {
      too_many_threads_ = true;
      return;
    }
    found = threads_.try_emplace(java_id, Thread{number, os_id, {}}).first;
  }
  Thread& thread = found->second;
  if (thread.name != name) trace_.threads[thread.number] = thread.name = name;
  std::vector<std::uint32_t> stack;
  stack.reserve(frames.size());
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    stack.push_back(frame->method);
    const auto [method, is_new] = trace_.methods.try_emplace(frame->method);
    if (!is_new) continue;
    const MethodName& known = names_.method(frame->method);
    method->second = {known.class_name, known.method, known.signature, known.file,
                      known.lines.empty() ? -1 : known.lines.front().line};
  }
  calls_.add(thread.number, stack, micros(now_ns), static_cast<std::uint64_t>(cpu_ns) / 1000);
}

TraceFile SampleTrace::finish(std::int64_t now_ns) {
  for (const auto& [id, thread] : threads_) {
    // Whether a virtual thread still lives is not known: its time ends at its last sample.
    const bool lives = thread.os_id != 0 && cpu_of_thread_ns(thread.os_id) >= 0;
    calls_.end(thread.number, lives, micros(now_ns));
  }
  trace_.overflow = calls_.overflow() || too_many_threads_;
  trace_.elapsed_micros = micros(now_ns);
  TraceFile file(trace_.dual);
  for (const TraceEvent& event : calls_.take()) file.add(event);
  file.finish(trace_);
  return file;
}

}  // namespace ddm
