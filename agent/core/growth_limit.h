// Decides when a growing table is due for a sweep of dead entries: at twice the size that the last
// sweep left. Any thread.
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

  // To be called before the first grown_to(). `reached` is called once, and again after each
  // swept_to().
  void on_limit(std::function<void()> reached) { reached_ = std::move(reached); }

  void grown_to(std::size_t size) {
    if (size >= limit_ && reached_ && !requested_.exchange(true)) reached_();
  }
  void swept_to(std::size_t size) {
    limit_ = std::max(kFirst, 2 * size);
    requested_ = false;
  }
  // The sweep could not run: `reached` is called again after the table has grown by another
  // quarter.
  void postpone() { swept_to(limit_ * 5 / 8); }

 private:
  std::function<void()> reached_;
  std::atomic<std::size_t> limit_{kFirst};
  std::atomic<bool> requested_{false};
};

}  // namespace ddm
