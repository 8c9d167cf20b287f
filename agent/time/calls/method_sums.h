// Sums of ended calls by path, for one OS thread. Only that thread adds; others may read
// concurrently.
//
// A thread that uses all paths would take some megabytes, and a program may have thousands of
// threads: once those of all threads together have CommonSums::kMostBytes, they add what needs more
// to common sums, atomically.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "time/calls/sum_table.h"

namespace ddm {

// Any thread.
class CommonSums {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

  explicit CommonSums(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // Whether a thread may have so much more of its own.
  bool has_room(std::size_t bytes) noexcept {
    return bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most_bytes_;
  }
  // Null: no memory.
  SumTable::Group* group(PathNumber path) noexcept;
  SumTable::Block* block(PathNumber path) noexcept;
  template <typename Use>
  void for_each(Use use) const {
    table_.for_each(/*common=*/true, use);
  }

 private:
  const std::size_t most_bytes_;
  std::atomic<std::size_t> bytes_{0};  // of the threads' own parts, and refused ones
  std::mutex mutex_;                   // held while parts are added
  SumTable table_;
};

class MethodSums {
 public:
  using Sum = SumTable::Sum;

  explicit MethodSums(std::shared_ptr<CommonSums> common) : common_(std::move(common)) {}

  // Where the thread adds the calls of a path; without a sum: out of memory.
  struct Place {
    void add(OneWriter<std::uint64_t> Sum::*what, std::uint64_t more) const noexcept {
      common ? (sum->*what).add_beside_others(more) : (sum->*what).add(more);
    }
    Sum* sum = nullptr;
    bool common = false;
  };
  Place of(PathNumber path) noexcept {
    SumTable::Group* const group = table_.group_of(path).seen.load(std::memory_order_relaxed);
    if (group == nullptr) [[unlikely]]
      return add(path);
    const auto& slot = SumTable::block_of(*group, path);
    SumTable::Block* const block = slot.seen.load(std::memory_order_acquire);
    if (block == nullptr) [[unlikely]]
      return add(path);
    return {&block->sums[path % SumTable::kSums], slot.common};
  }

  // Without the common ones.
  template <typename Use>
  void for_each(Use use) const {
    table_.for_each(/*common=*/false, use);
  }

 private:
  Place add(PathNumber path) noexcept;

  const std::shared_ptr<CommonSums> common_;
  SumTable table_;
};

}  // namespace ddm
