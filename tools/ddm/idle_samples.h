// The part of a sampled trace in which threads were idle, apart from what they did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trace_sums.h"

namespace ddm {

struct IdleSamples {
  TraceSums rest;  // without that time, and without the calls that have no other
  std::uint64_t micros = 0, all_micros = 0;
  std::size_t threads = 0;  // that were idle for some of the time

  // "idle: 12 threads, 85.0% of the samples, ...", a sentence; "": none was.
  std::string text() const;
};

// Idle is a stack that waits for work (stack/names/idle_waits.h). One that sleeps is not: a request
// may be slow for that.
IdleSamples idle_samples(const MethodTrace& trace, const TraceSums& sums);

}  // namespace ddm
