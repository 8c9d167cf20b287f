// An array whose address space is reserved at once and committed page by page on first write:
// zero-filled and never moved, so readers need no lock to locate an element.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ddm {

template <typename T>
class ReservedArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // kHuge: 2 MB pages where the kernel provides them, which saves TLB misses under random access.
  enum class Pages { kSmall, kHuge };

  ReservedArray() = default;
  explicit ReservedArray(std::size_t size, Pages pages = Pages::kSmall) : size_(size) {
    const std::size_t before = pages == Pages::kHuge ? kHugePage : 0;
    void* const memory = mmap(nullptr, bytes() + before, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    auto begin = reinterpret_cast<std::uintptr_t>(memory);
    if (before != 0) {
      const std::uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
      if (aligned > begin) munmap(memory, aligned - begin);
      if (const std::size_t left = begin + before - aligned; left > 0) {
        munmap(reinterpret_cast<void*>(aligned + whole_pages()), left);
      }
      begin = aligned;
      madvise(reinterpret_cast<void*>(begin), bytes(), MADV_HUGEPAGE);
    }
    data_ = reinterpret_cast<T*>(begin);
  }
  ~ReservedArray() {
    if (data_ != nullptr) munmap(data_, bytes());
  }
  ReservedArray(ReservedArray&& other) noexcept
      : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  ReservedArray& operator=(ReservedArray&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }

  bool good() const { return data_ != nullptr; }  // false: the reservation failed
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::size_t kPage = 4096;
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t whole_pages() const { return (bytes() + kPage - 1) / kPage * kPage; }

  std::size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace ddm
