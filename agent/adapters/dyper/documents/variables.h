// The variables of SET and GET: names, kinds, defaults, bounds. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

// When to count the methods of a class, and the lines of a method, separately.
struct DetailRule {
  double min_total = 250;         // hits of all items before any is judged
  double minimum = 10;            // hits of one item before it is judged
  double threshold = 0.025;       // share of all hits at which detail starts
  double stop_threshold = 0.005;  // share below which detail stops
};

struct DyperVariables {
  std::int64_t check_ms = 10;
  std::int64_t disable_ms = 5000;
  std::int64_t report_ms = 0;  // 0: reports on request only
  bool monitor = false;
  bool show_stack = false;
  bool contention = false;
  bool cpu_time = true;
  std::int64_t max_depth = 128;
  bool thread_default = true;
  bool full_monitoring = false;
  bool reporting = false;
  bool detail_all = true;
  std::string class_path;
  std::int64_t min_counter = 0;
  std::string alloc_monitor = "COUNT";
  std::string alloc_unmonitor = "COUNT";
  DetailRule class_detail;
  DetailRule method_detail;

  // True: the variable is set. False: there is no such variable. The error: the value is invalid,
  // and which values are valid.
  Result<bool> set(std::string_view name, std::string_view value);
  // None: there is no such variable.
  std::optional<std::string> get(std::string_view name) const;
};

}  // namespace ddm
