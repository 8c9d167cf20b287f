// java.lang.Thread id -> the small number that DDM servers know a thread by: 1 to 65,535.
//
// Numbers are used again, but not at once: that of a thread that has ended stays its own until
// kRemembered others have ended, so that what a server still asks about it, and records of what it
// allocated, do not speak of another thread. Not thread-safe: the owner locks.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace ddm {

using SmallThreadId = std::uint16_t;  // 0 = none left

class ThreadIds {
 public:
  static constexpr std::size_t kRemembered = 4096;

  // The number of a thread, which gets one if it has none.
  SmallThreadId of(std::int64_t java_id);

  // The number of a thread that may long have ended, which gets one that is free again soon.
  SmallThreadId of_ended(std::int64_t java_id);

  void ended(std::int64_t java_id);

 private:
  struct Entry {
    SmallThreadId id = 0;
    bool ended = false;
  };

  Entry* find_or_add(std::int64_t java_id);
  SmallThreadId take_free();

  std::unordered_map<std::int64_t, Entry> ids_;
  std::deque<std::int64_t> ended_;  // the longest ended first
  std::uint32_t next_ = 1;          // never used so far
};

}  // namespace ddm
