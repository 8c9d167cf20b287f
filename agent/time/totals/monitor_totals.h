// How often and how long threads waited for locks: totals by kind, class and stack, and by who held the
// lock.
//
// Any thread. A thread that adds holds a mutex of one of several parts for the time of a look-up:
// it has just been stopped for far longer. Memory is bounded: from kMostTotals different ones on,
// those that find no room are counted by class, without a stack, and of kMostClasses classes.
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

// Who held a lock, and what it was doing.
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
  // The numbers of holders stay.
  void clear();

  // Most time first; stacks from `traces`.
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
