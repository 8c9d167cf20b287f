// java.lang.Thread id -> the small number that DDM servers know a thread by: 1 to 65,535.
//
// Every thread gets a number that none had before, as long as there are any. Then they are used
// again, that of the thread which ended first, or was last asked for, the longest time ago: what a
// server still asks about a thread, and records of what it allocated, do not speak of another one.
// Not thread-safe: the owner locks.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace ddm {

using SmallThreadId = std::uint16_t;  // 0 = none left

class ThreadIds {
 public:
  ThreadIds() = default;
  ThreadIds(const ThreadIds&) = delete;
  ThreadIds& operator=(const ThreadIds&) = delete;

  // The number of a live thread, which gets one if it has none.
  SmallThreadId of(std::int64_t java_id);

  // The number of a thread that may long have ended, which gets one if it has none (any more).
  SmallThreadId of_ended(std::int64_t java_id);

  void ended(std::int64_t java_id);

 private:
  using Ended = std::list<std::int64_t>;  // the longest ended first
  struct Entry {
    SmallThreadId id = 0;
    Ended::iterator place;  // ended_.end(): it lives
  };

  Entry* find_or_add(std::int64_t java_id);
  SmallThreadId take_free();
  void set_ended(std::int64_t java_id, Entry& entry);

  std::unordered_map<std::int64_t, Entry> ids_;
  Ended ended_;
  std::uint32_t next_ = 1;  // never used so far
};

}  // namespace ddm
