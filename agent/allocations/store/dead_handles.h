// Weak handles of objects that are dead, until they are given back to the VM.
//
// To make a handle and to give one back writes to the same places of the VM: with one thread at
// each, both wait for the other. So threads that make handles also give back, some dozens of them
// at once; who finds out that objects are dead only does what is left over.
//
// Any thread. Nobody waits for who takes.
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
  using Room = std::array<std::uint64_t, kAtOnce>;

  // All of them, or false: there is no room.
  bool add(std::span<const std::uint64_t> handles) {
    const std::lock_guard lock(mutex_);
    if (!list_) list_ = std::make_unique<List>(kMost);
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (!list_->good() || handles.size() > kMost - count) return false;
    std::copy(handles.begin(), handles.end(), &(*list_)[count]);
    count_.store(count + handles.size(), std::memory_order_relaxed);
    return true;
  }

  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }

  // Some of them, which are the caller's then. None: there are none, or another thread is at it.
  std::span<const std::uint64_t> take(Room& room) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return {};
    const std::size_t count = count_.load(std::memory_order_relaxed);
    const std::size_t taken = std::min(count, room.size());
    if (taken == 0) return {};
    std::copy_n(&(*list_)[count - taken], taken, room.begin());
    count_.store(count - taken, std::memory_order_relaxed);
    return {room.data(), taken};
  }

  // Gives memory back if there are none.
  void shrink() {
    const std::lock_guard lock(mutex_);
    if (!any()) list_.reset();
  }

 private:
  using List = ReservedArray<std::uint64_t>;

  std::mutex mutex_;
  std::unique_ptr<List> list_;
  std::atomic<std::size_t> count_{0};  // changed under the mutex
};

}  // namespace ddm
