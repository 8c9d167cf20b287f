// What was measured of time, as weighted stacks.
#pragma once

#include <cstdint>
#include <vector>

#include "report/time_data.h"

namespace ddm {

// For trees and profiles.
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

}  // namespace ddm
