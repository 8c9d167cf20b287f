// TimeData as weighted stacks, for trees and profiles. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/time_data.h"

namespace ddm {

class TimeStacks {
 public:
  enum class Of { kMethods, kSamples, kLocks };
  struct Stack {
    std::int64_t amount = 0;  // nanoseconds; for samples equal to count
    std::int64_t count = 0;
    bool cut = false;
    NameId class_id = kUnknownName;          // class of the lock; kUnknownName: none
    MonitorKind kind = MonitorKind::kEnter;  // of locks
    std::size_t begin = 0, end = 0;          // of its frames
  };

  // Self time and number of calls of each chain of timed methods.
  static TimeStacks of_methods(const TimeData& time);
  static TimeStacks of_samples(const TimeData& time);
  // Without pins, which are counted as parks, too.
  static TimeStacks of_locks(const TimeData& time);
  // For formats with one kind of stacks: samples, else methods, else locks.
  static TimeStacks first_of(const TimeData& time);

  Of of() const { return of_; }
  std::size_t size() const { return stacks_.size(); }
  const Stack& operator[](std::size_t i) const { return stacks_[i]; }
  // Innermost first.
  std::span<const Frame> frames(std::size_t i) const {
    return std::span(frames_).subspan(stacks_[i].begin, stacks_[i].end - stacks_[i].begin);
  }
  std::int64_t amount() const;
  std::int64_t count() const;

 private:
  explicit TimeStacks(Of of) : of_(of) {}
  void add(Stack stack, std::span<const Frame> frames);

  Of of_;
  std::vector<Stack> stacks_;
  std::vector<Frame> frames_;
};

}  // namespace ddm
