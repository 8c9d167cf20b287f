#include "time/time_options.h"

#include "time/calls/method_filter.h"

namespace ddm {

// The first value of a string that is not relative ends the kinds that the string does not name.
Wrong TimeOptions::read_cpu(std::string_view value) {
  const bool relative = value.starts_with('+') || value == "-samples";
  if (!relative && times_kept) {
    cpu_times = cpu_samples = false;
    times_kept = false;
  }
  if (value == "times") {
    cpu_times = true;
  } else if (value == "samples" || value == "wall" || value == "+samples" || value == "+wall") {
    cpu_samples = true;
    wall = value.ends_with("wall");
  } else if (value == "-samples") {
    cpu_samples = false;
  } else if (value == "off" || value.empty()) {
    cpu_times = cpu_samples = false;
  } else {
    return not_one_of(value, "times, samples, wall, off, +samples, +wall, -samples");
  }
  return "";
}

std::vector<OptionRow> TimeOptions::rows() {
  using enum OptionRow::Reload;
  return {
      {"cpu",
       "times|samples|wall|off",
       "exact times; samples of running or of all threads (off)",
       kTaken,
       [this](std::string_view v) { return read_cpu(v); },
       [this] { times_kept = true; },
       {"+samples, +wall, -samples: these alone, times unchanged"}},
      {"methods", "PATTERN", "cpu=times: methods, such as shop.* or *.Cart.total", kTaken,
       [this](std::string_view v) {
         const Wrong error = MethodFilter::fault(v);
         return error.empty() ? text(v, &methods) : error;
       }},
      {"interval_ms", "N", "cpu=samples: milliseconds between samples (10)", kTaken,
       [this](std::string_view v) { return number(v, 1, 1000, false, &interval_ms); }},
      {"delay", "varied|exponential|fixed", "cpu=samples: distribution of the intervals (varied)",
       kTaken,
       [this](std::string_view v) {
         return one_of(v, "varied, exponential, fixed",
                       {SamplingDelay::kVaried, SamplingDelay::kExponential, SamplingDelay::kFixed},
                       &delay);
       }},
      {"monitor", "y|n", "time waits for locks, by stack (n)", kTaken,
       [this](std::string_view v) { return yes_no(v, &monitor); }},
      {"budget", "PERCENT", "most CPU for sampling, probes and patches (5)", kTaken,
       [this](std::string_view v) { return number(v, 1, 10'000, false, &budget); }},
  };
}

}  // namespace ddm
