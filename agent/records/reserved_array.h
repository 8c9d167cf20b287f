// An array whose memory is reserved at once and taken as it is written to: zeroed, it never moves,
// and readers need no lock to find it where it was.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ddm {

template <typename T>
class ReservedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ReservedArray() = default;
  explicit ReservedArray(std::size_t size) : size_(size) {
    void* memory = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) data_ = static_cast<T*>(memory);
  }
  ~ReservedArray() {
    if (data_ != nullptr) munmap(data_, size_ * sizeof(T));
  }
  ReservedArray(const ReservedArray&) = delete;
  ReservedArray& operator=(const ReservedArray&) = delete;

  bool good() const { return data_ != nullptr; }  // false: the memory cannot be had
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace ddm
