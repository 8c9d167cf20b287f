// The parts of reports about time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/report_names.h"

namespace ddm {

// Only time was measured, so the report has no part on allocations.
inline bool has_time_only(const ReportData& data) {
  const TimeData& time = data.time;
  return data.summary.engine.empty() &&
         (time.sampler || time.monitor_on || !time.methods.empty() || !time.incomplete.empty());
}

// The data on time as weighted stacks, for trees and profiles.
struct TimeStack {
  std::int64_t amount = 0;  // nanoseconds; for samples equal to count
  std::int64_t count = 0;
  bool cut = false;
  std::vector<Frame> frames{};             // innermost first
  NameId class_id = kUnknownName;          // class of the lock; kUnknownName: none
  MonitorKind kind = MonitorKind::kEnter;  // of locks
};

struct TimeStacks {
  enum class Of { kMethods, kSamples, kLocks };

  // Self time and number of calls of each chain of timed methods.
  static TimeStacks of_methods(const TimeData& time);
  static TimeStacks of_samples(const TimeData& time);
  // Without pins, which are counted as parks, too.
  static TimeStacks of_locks(const TimeData& time);
  // For formats with one kind of stacks: samples, else methods, else locks.
  static TimeStacks first_of(const TimeData& time);

  Of of;
  std::vector<TimeStack> list{};
};

// The table of timed methods; "" without any. `times`: largest self time first; shows the first
// `rows`, in lines of at most `columns`.
std::string method_table(const std::vector<MethodTime>& times, std::size_t rows,
                         std::size_t columns);

// Tables of samples and of locks, each row with a number that refers to its stack below. Lines of
// at most `columns`, except for long names in stacks. "" if nothing was measured.
std::string time_tables(const ReportData& data, ReportNames& names, std::size_t columns);

// At most 16 lines of at most 80 columns, for the end of a program; idle threads' waits are one of
// them. "" if nothing was measured.
std::string time_summary(const ReportData& data);

}  // namespace ddm
