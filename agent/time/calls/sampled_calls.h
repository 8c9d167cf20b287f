// Converts successive stack samples to calls that begin and end between them: a frame missing in
// the next sample has ended, a new frame has begun, as in Android's sampling tracer. One thread at
// a time.
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
  // From this number of events on, samples are dropped.
  explicit SampledCalls(std::size_t most_events) : most_events_(most_events) {}

  // `stack`: methods, outermost first. A thread's times must not decrease.
  void add(std::uint16_t thread, std::span<const std::uint32_t> stack, std::uint64_t wall_micros,
           std::uint64_t cpu_micros);
  // Ends all open calls at the thread's last sample, or at `wall_micros` if it `lives`.
  void end(std::uint16_t thread, bool lives, std::uint64_t wall_micros);

  bool overflow() const { return overflow_; }
  std::size_t size() const { return events_.size(); }
  // Returns the events in order of time.
  std::vector<TraceEvent> take();

 private:
  struct Thread {
    std::vector<std::uint32_t> open;  // outermost first
    std::uint64_t wall_micros = 0, cpu_micros = 0;
  };

  void leave_down_to(std::uint16_t number, Thread& thread, std::size_t depth);

  const std::size_t most_events_;
  bool overflow_ = false;
  std::map<std::uint16_t, Thread> threads_;
  std::vector<TraceEvent> events_;
};

}  // namespace ddm
