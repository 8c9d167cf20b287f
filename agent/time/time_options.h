// The options of time: exact calls, samples, locks, and the CPU budget. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/option_table.h"

namespace ddm {

enum class SamplingDelay { kVaried, kExponential, kFixed };

struct TimeOptions {
  bool cpu_times = false, cpu_samples = false;  // cpu=times,cpu=samples: both
  bool wall = false;                            // the samples are of all threads: cpu=wall
  bool times_kept = false;                      // the last cpu= is of samples only: cpu=+samples
  std::string methods;                          // classes and methods for cpu=times, as given
  std::int64_t interval_ms = 10;                // of cpu=samples
  SamplingDelay delay = SamplingDelay::kVaried;
  bool monitor = false;
  std::int64_t budget = 5;  // percent of the CPU that sampling and probes may take

  bool any() const { return cpu_times || cpu_samples || monitor; }

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();

 private:
  Wrong read_cpu(std::string_view value);
};

}  // namespace ddm
