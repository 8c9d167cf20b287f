// The parts of reports that tell of time.
#pragma once

#include <string>

#include "report/report.h"
#include "report/report_names.h"

namespace ddm {

// Only time was asked for: allocations have no place in the report.
inline bool is_of_time_alone(const ReportData& data) {
  const TimeData& time = data.time;
  return data.summary.engine.empty() &&
         (time.sampler || time.monitor_on || !time.methods.empty() || !time.incomplete.empty());
}

// Tables of samples and of locks, each row with a number under which its stack stands below them.
// Lines of at most so many columns, but for long names in stacks. "" when nothing was asked for.
std::string time_tables(const ReportData& data, ReportNames& names, std::size_t columns);

// At most 24 lines for the end of a program.
std::string time_summary(const ReportData& data);

// One stack a line, outermost frame first, in all threads: then how often it was sampled; or,
// without samples, the microseconds that its innermost timed method took itself; or, without those,
// that threads waited there for locks, by kind, with the class last.
std::string collapsed_time(const TimeData& time, ReportNames& names);

}  // namespace ddm
