// Reads this process's own memory where it may be unmapped, or change, at any moment, and the
// kernel's list of it.
//
// The kernel copies it, so an address that is gone is an error and no SIGSEGV. Any thread; a
// MemoryWindow belongs to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace ddm {

// Where what can be read, mapped or made writable begins and ends. x86-64 and most of aarch64.
constexpr std::uintptr_t kPage = 4096;

// True: all of it could be read. errno stays as it was.
bool read_own_memory(std::uintptr_t from, void* to, std::size_t bytes);

// The text of /proc/self/maps; "" if it cannot be read.
std::string read_maps_text();

// For reading a stretch of memory piece by piece: keeps the last block it has read.
class MemoryWindow {
 public:
  // `block`: how much is read at once, whole pages.
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

 private:
  bool copy(std::uintptr_t at, void* to, std::size_t bytes);

  const std::size_t size_;
  std::byte* const block_;  // mapped, not from malloc: it would be part of what is looked at
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace ddm
