// Weak handles of dead objects, to be deleted.
//
// Creating and deleting a handle write to the same memory of the VM: on two threads they contend.
// Therefore threads that create handles also delete some dozens at once, and the thread that finds
// dead objects deletes only the rest.
//
// Any thread. take() never blocks.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/reserved_array.h"

namespace ddm {

class DeadHandles {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 20;  // 8 MB
  static constexpr std::size_t kAtOnce = 96;
  using Buffer = std::array<std::uint64_t, kAtOnce>;

  // Adds all of them; false: no room.
  bool add(std::span<const std::uint64_t> handles) {
    const std::lock_guard lock(mutex_);
    if (!list_) list_ = std::make_unique<List>(kMost);
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (!list_->good() || handles.size() > kMost - count) return false;
    std::ranges::copy(handles, &(*list_)[count]);
    count_.store(count + handles.size(), std::memory_order_relaxed);
    return true;
  }

  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }

  // Takes some of them for the caller. Empty: there are none, or another thread is taking.
  std::span<const std::uint64_t> take(Buffer& buffer) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return {};
    const std::size_t count = count_.load(std::memory_order_relaxed);
    const std::size_t taken = std::min(count, buffer.size());
    if (taken == 0) return {};
    std::copy_n(&(*list_)[count - taken], taken, buffer.begin());
    count_.store(count - taken, std::memory_order_relaxed);
    return {buffer.data(), taken};
  }

  // Frees the memory if it is empty.
  void shrink() {
    const std::lock_guard lock(mutex_);
    if (!any()) list_.reset();
  }

 private:
  using List = ReservedArray<std::uint64_t>;

  std::mutex mutex_;
  std::unique_ptr<List> list_;
  std::atomic<std::size_t> count_{0};  // written under the mutex
};

}  // namespace ddm
