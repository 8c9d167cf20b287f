// The limits of a trace file: its events, and the numbers of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace ddm {

// How many events `bytes` of data hold; 0: 8 MiB. `dual`: with CPU times.
inline std::size_t events_in_trace(std::size_t bytes, bool dual) {
  constexpr std::size_t kUsual = std::size_t{8} << 20, kMost = std::size_t{256} << 20;
  return std::min(bytes != 0 ? bytes : kUsual, kMost) / (dual ? 14 : 10);
}

// Thread numbers are 1 to 32,767, since readers take them as signed 16 bits. Java's own id where it
// fits; other threads get the highest free number. Not thread-safe.
class TraceThreads {
 public:
  static constexpr std::uint16_t kMost = 32767;

  // 0: none is free. `is_new`: the first call for this thread. A number is never reused.
  std::uint16_t number_of(std::int64_t java_id, bool& is_new) {
    const auto found = numbers_.find(java_id);
    is_new = found == numbers_.end();
    if (!is_new) return found->second;
    std::uint16_t number = 0;
    if (java_id > 0 && java_id <= kMost && !taken_.contains(static_cast<std::uint16_t>(java_id))) {
      number = static_cast<std::uint16_t>(java_id);
    } else {
      while (next_ > 0 && taken_.contains(next_)) --next_;
      number = next_;
    }
    is_new = number != 0;
    if (!is_new) return 0;
    taken_.insert(number);
    return numbers_[java_id] = number;
  }

 private:
  std::map<std::int64_t, std::uint16_t> numbers_;
  std::set<std::uint16_t> taken_;
  std::uint16_t next_ = kMost;  // all above are in use
};

}  // namespace ddm
