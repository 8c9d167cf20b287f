// Stacks of threads at successive moments, told as calls that begin and end between them: what is on
// one and not on the next has ended, what is new has begun. As Android's sampling tracer has it.
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "report/traces/method_trace.h"

namespace ddm {

class SampledCalls {
 public:
  // From so many events on, no further stack is taken.
  explicit SampledCalls(std::size_t most_events) : most_events_(most_events) {}

  // `stack`: methods, the outermost first. Times of a thread never go back.
  void add(std::uint16_t thread, std::span<const std::uint32_t> stack, std::uint64_t wall_micros,
           std::uint64_t cpu_micros);
  // All that goes on ends at the thread's last stack, or at `wall_micros` if it `lives`.
  void end(std::uint16_t thread, bool lives, std::uint64_t wall_micros);

  bool overflow() const { return overflow_; }
  std::size_t size() const { return events_.size(); }
  // In the order of time.
  std::vector<TraceEvent> take();

 private:
  struct Thread {
    std::vector<std::uint32_t> open;  // the outermost first
    std::uint64_t wall_micros = 0, cpu_micros = 0;
  };

  void leave_down_to(std::uint16_t number, Thread& thread, std::size_t depth);

  const std::size_t most_events_;
  bool overflow_ = false;
  std::map<std::uint16_t, Thread> threads_;
  std::vector<TraceEvent> events_;
};

}  // namespace ddm
