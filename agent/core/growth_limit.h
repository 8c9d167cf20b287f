// When a table that grows for ever is worth looking through for what nobody needs: at twice the
// size that the last look left. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace ddm {

class GrowthLimit {
 public:
  static constexpr std::size_t kFirst = 8192;

  // Before the first grown_to(). `reached` is called once, and again after swept_to().
  void when_reached(std::function<void()> reached) { reached_ = std::move(reached); }

  void grown_to(std::size_t size) {
    if (size >= limit_ && reached_ && !asked_.exchange(true)) reached_();
  }
  void swept_to(std::size_t size) {
    limit_ = std::max(kFirst, 2 * size);
    asked_ = false;
  }
  // Nothing came of it: to be asked for again, but not at once.
  void put_off() { swept_to(limit_ * 5 / 8); }

 private:
  std::function<void()> reached_;
  std::atomic<std::size_t> limit_{kFirst};
  std::atomic<bool> asked_{false};
};

}  // namespace ddm
