// The options of the agent's own reports. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/option_table.h"

namespace ddm {

struct ReportOptions {
  std::vector<std::string> dumps;  // as given, %p and %t not yet expanded
  bool dump_none = false;
  std::optional<std::int64_t> every_seconds;  // 0 = off; nullopt: not in the last string

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
  // What is wrong with the combination of options, given whether objects are followed and sites
  // counted; "" = nothing.
  Wrong conflict(bool live, bool sites) const;

 private:
  std::ptrdiff_t earlier_dumps_ = 0;  // those of earlier strings
};

}  // namespace ddm
