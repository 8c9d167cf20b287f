// How many stacks of one kind get a number, and which: the first three quarters of the room go to
// whoever comes first, the rest to stacks that come up often. What a program does once as it starts
// (three stacks in four of Tomcat's come up a single time) leaves room for what it does ever after.
//
// A stack needs four hits; each time half of what was left is gone, the next ones need four times
// as many. So there is always room for the few that matter, and nothing is ever taken back.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace ddm {

class TraceRoom {
 public:
  // Before it is used.
  void set_size(std::uint32_t size) {
    size_ = size;
    decide();
  }

  // Any thread: whether a stack that has come up so often is to have a number.
  bool is_open_to(std::uint32_t hits) const {
    return hits >= needed_.load(std::memory_order_relaxed);
  }
  // These two: one thread at a time.
  bool has_left() const { return taken_ < size_; }
  void take() {
    ++taken_;
    decide();
  }

 private:
  static constexpr std::uint32_t kFirstNeeded = 4, kNeededMore = 4;
  static constexpr std::uint32_t kMostNeeded = 1u << 28;
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  void decide() {
    const std::uint32_t for_often = size_ / 4, left = size_ - taken_;
    std::uint32_t needed = left > for_often ? 1 : kFirstNeeded;
    for (std::uint32_t half = for_often / 2; left <= half && needed < kMostNeeded; half /= 2) {
      needed *= kNeededMore;
    }
    needed_.store(left == 0 ? kNever : needed, std::memory_order_relaxed);
  }

  std::uint32_t size_ = 0, taken_ = 0;
  std::atomic<std::uint32_t> needed_{kNever};
};

}  // namespace ddm
