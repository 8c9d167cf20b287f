// The parts of reports about time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/report_names.h"
#include "report/time_stacks.h"

namespace ddm {

// Only time was measured, so the report has no part on allocations.
inline bool has_time_only(const ReportData& data) {
  const TimeData& time = data.time;
  return data.summary.engine.empty() &&
         (time.sampler || time.monitor_on || !time.methods.empty() || !time.incomplete.empty());
}

// Tables of samples and of locks, each row with a number that refers to its stack below. Lines of
// at most `columns`, except for long names in stacks. "" if nothing was measured.
std::string time_tables(const ReportData& data, ReportNames& names, std::size_t columns);

// At most 16 lines of at most 80 columns, for the end of a program; idle threads' waits are one of
// them. "" if nothing was measured.
std::string time_summary(const ReportData& data);

}  // namespace ddm
