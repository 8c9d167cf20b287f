// Records stack samples as a trace file in Android's format (SPSS, SPSE). Used by the sampler
// thread, and by one reader after sampling has ended.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "report/traces/method_trace.h"
#include "stack/names/name_table.h"
#include "time/calls/sampled_calls.h"
#include "time/calls/trace_threads.h"
#include "time/trace_file.h"

namespace ddm {

class SampleTrace {
 public:
  // `bytes`: limit of the file's data; 0: 8 MiB.
  SampleTrace(const NameTable& names, std::int64_t interval_ns, std::size_t bytes, bool dual);

  std::int64_t interval_ns() const { return interval_ns_; }

  void begin_round() { ++trace_.rounds; }
  // `frames`: innermost first. `os_id` and `cpu_ns`: 0 for a virtual thread.
  void add(std::int64_t java_id, const std::string& thread, std::uint32_t os_id,
           std::span<const Frame> frames, std::int64_t now_ns, std::int64_t cpu_ns);

  TraceFile finish(std::int64_t now_ns);

 private:
  struct Thread {
    std::uint16_t number = 0;
    std::uint32_t os_id = 0;  // 0: a virtual thread
    std::string name;
  };
  std::uint64_t micros(std::int64_t now_ns) const {
    return static_cast<std::uint64_t>(now_ns - begin_ns_) / 1000;
  }

  const NameTable& names_;
  const std::int64_t interval_ns_;
  const std::int64_t begin_ns_;
  MethodTrace trace_;  // without events
  SampledCalls calls_;
  TraceThreads numbers_;
  std::map<std::int64_t, Thread> threads_;
  bool too_many_threads_ = false;
};

}  // namespace ddm
