// Reads memory of this process that another thread may unmap or change at any moment, and the
// kernel's list of mappings.
//
// The kernel does the copying, so an unmapped address is an error and no SIGSEGV. Any thread; a
// MemoryWindow belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace ddm {

// Granularity of mappings and protections. x86-64 and most of aarch64.
constexpr std::uintptr_t kPage = 4096;

// True: all bytes were read. Preserves errno.
bool read_own_memory(std::uintptr_t from, void* to, std::size_t bytes);

template <typename T>
std::optional<T> read_own(std::uintptr_t from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  return read_own_memory(from, &value, sizeof value) ? std::optional(value) : std::nullopt;
}

// The text of /proc/self/maps; "" if it cannot be read.
std::string read_maps_text();

// Reads a range of memory piecewise, buffering the block read last.
class MemoryWindow {
 public:
  // `block`: bytes read at once, a multiple of the page size.
  explicit MemoryWindow(std::size_t block = 64 * 1024);
  ~MemoryWindow();
  MemoryWindow(const MemoryWindow&) = delete;
  MemoryWindow& operator=(const MemoryWindow&) = delete;

  template <typename T>
  std::optional<T> read(std::uintptr_t at) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    if (!copy(at, &value, sizeof value)) return {};
    return value;
  }

  // A zero-terminated text; nullopt: not readable, or longer than a megabyte.
  std::optional<std::string> text(std::uintptr_t at);

 private:
  bool copy(std::uintptr_t at, void* to, std::size_t bytes);

  const std::size_t size_;
  std::byte* const block_;  // mmap: a malloc block would be part of the inspected memory
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace ddm
