// Counts samples by thread and stack. One thread adds, any reads. Memory is bounded: beyond
// kMostCounts distinct pairs, samples are counted by thread without a stack.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "report/time_data.h"
#include "stack/tree/call_tree.h"
#include "time/totals/thread_numbers.h"

namespace ddm {

class SampleCounts {
 public:
  static constexpr std::size_t kMostCounts = 131072;

  // Less than 0 takes back.
  void add(std::string_view thread, TraceNumber trace, std::int64_t count);
  void clear();

  // Most samples first; stacks are read from `traces`.
  std::vector<StackSample> read(const CallTree& traces) const;

 private:
  mutable std::mutex mutex_;
  ThreadNumbers threads_;
  std::map<std::pair<ThreadNumber, TraceNumber>, std::int64_t> counts_;
};

}  // namespace ddm
