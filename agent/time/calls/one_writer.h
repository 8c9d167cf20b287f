// A value that one thread writes and others may read concurrently.
#pragma once

#include <atomic>

namespace ddm {

template <typename T>
class OneWriter {
 public:
  OneWriter() = default;
  OneWriter& operator=(const OneWriter& other) noexcept {
    set(other.get());
    return *this;
  }

  T get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(T more) noexcept { set(get() + more); }
  // For a value that several threads add to after all.
  void add_beside_others(T more) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }

 private:
  std::atomic<T> value_{};
};

}  // namespace ddm
