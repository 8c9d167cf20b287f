// Maps Thread.getId() to the small number by which DDM servers identify a thread: 1 to 65,535.
//
// Every thread gets an unused number while there are any. Then numbers are reused, starting with
// the thread that ended, or was last queried, longest ago: a server's later query about a thread,
// and records of its allocations, do not denote another thread. Not thread-safe: the owner locks.
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

  // The number of a live thread, assigned if it has none.
  SmallThreadId of(std::int64_t java_id);

  // The number of a thread that may have ended, assigned if it has none (any more).
  SmallThreadId of_ended(std::int64_t java_id);

  void ended(std::int64_t java_id);

 private:
  using Ended = std::list<std::int64_t>;  // ordered by end, oldest first
  struct Entry {
    SmallThreadId id = 0;
    Ended::iterator place;  // ended_.end(): alive
  };

  Entry* find_or_add(std::int64_t java_id);
  SmallThreadId take_free();
  void set_ended(std::int64_t java_id, Entry& entry);

  std::unordered_map<std::int64_t, Entry> ids_;
  Ended ended_;
  std::uint32_t next_ = 1;  // the next unused number
};

}  // namespace ddm
