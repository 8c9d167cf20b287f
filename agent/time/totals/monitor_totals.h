// How often and how long threads waited for locks: totals by kind, class, stack and owner.
//
// Any thread. Adding locks one of several parts for one look-up; the thread has just been blocked
// far longer. Memory is bounded: beyond kMostTotals distinct totals, waits are counted by class
// without a stack, for up to kMostClasses classes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "report/time_data.h"
#include "stack/tree/call_tree.h"
#include "time/totals/thread_numbers.h"

namespace ddm {

// The owner of a lock, and what it was executing.
struct HeldBy {
  static constexpr ThreadNumber kUnknown = ~ThreadNumber{0};
  ThreadNumber thread = kUnknown;  // MonitorTotals::holder_number()
  TraceNumber trace = kNoTrace;
  friend auto operator<=>(const HeldBy&, const HeldBy&) = default;
};

class MonitorTotals {
 public:
  static constexpr std::size_t kMostTotals = 65536;
  static constexpr std::size_t kMostClasses = 16384;

  ThreadNumber holder_number(std::string_view name);
  void add(MonitorKind kind, NameId class_id, TraceNumber trace, std::int64_t ns,
           HeldBy holder = {});
  std::string holder_name(ThreadNumber number) const;
  // Owner numbers are kept.
  void clear();

  // Longest total time first; stacks are read from `traces`.
  std::vector<MonitorTime> read(const CallTree& traces) const;
  void add_names(NamesInUse& used) const;  // of classes

 private:
  struct Key {
    MonitorKind kind;
    NameId class_id;
    TraceNumber trace;
    HeldBy holder;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Sum {
    std::int64_t count = 0;
    std::int64_t ns = 0;
  };
  struct alignas(64) Part {
    mutable std::mutex mutex;
    std::map<Key, Sum> sums;
  };
  static constexpr std::size_t kParts = 16;

  std::array<Part, kParts> parts_;
  mutable std::mutex names_mutex_;
  ThreadNumbers names_;
};

}  // namespace ddm
