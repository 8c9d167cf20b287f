// The options of the reports that the agent writes by itself. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct ReportOptions {
  std::vector<std::string> dumps;  // as given, %p and %t not yet filled in
  bool dump_none = false;
  std::optional<std::int64_t> every_seconds;  // 0 = off; none: the last string does not say

  // The rows store into this object, which outlives them.
  std::vector<OptionRow> rows();
  // What is wrong with the options taken together, objects being followed or not, and
  // sites counted or not; "" = nothing.
  Wrong conflict(bool live, bool sites) const;
};

}  // namespace ddm
