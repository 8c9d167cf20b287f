// What a trace of calls comes to: by method, and by stack.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "records/method_trace.h"

namespace ddm {

struct TraceSum {
  std::uint32_t method = 0;  // key of MethodTrace::methods
  std::uint64_t calls = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t total_micros = 0;  // of a recursion the outermost call
  std::uint64_t self_micros = 0;
};

struct TraceSums {
  std::vector<TraceSum> methods;                // the most time in itself first
  std::map<std::string, std::uint64_t> stacks;  // "thread;outermost;...;innermost" -> us in itself
};

// Calls that have not ended count until the trace's end.
TraceSums sums_of(const MethodTrace& trace);

}  // namespace ddm
