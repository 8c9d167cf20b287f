// Reads of the VM's memory.
//
// load() is for memory that the caller knows to be readable; UnprovenMemory for addresses based
// only on the VM's tables, until walks have confirmed them; is_readable() checks an address found
// where a pointer is expected. It caches pages, so only new ones cost a system call. Any thread.
#pragma once

#include <atomic>
#include <memory>

#include "stack/walk/vm_layout.h"

namespace ddm {

// A stray pointer may be beside an object but readable, so the address sanitizer must not check it.
template <typename T>
[[gnu::no_sanitize_address]] T load(VmAddress at) {
  struct [[gnu::packed, gnu::may_alias]] Anywhere {
    T value;
  };
  return reinterpret_cast<const Anywhere*>(at)->value;
}

class ReadablePages {
 public:
  ReadablePages();

  // Whether `bytes` (at most a page) are readable there.
  bool is_readable(VmAddress at, std::size_t bytes);

 private:
  bool page_is_readable(VmAddress page);

  static constexpr std::size_t kSlots = 4096;
  const std::unique_ptr<std::atomic<VmAddress>[]> known_;
};

class UnprovenMemory {
 public:
  explicit UnprovenMemory(ReadablePages& pages) : pages_(pages) {}

  // T{} if not readable.
  template <typename T>
  T read(VmAddress at) const {
    if (!proven_.load(std::memory_order_relaxed) && !pages_.is_readable(at, sizeof(T))) {
      return T{};
    }
    return load<T>(at);
  }
  // Walks were compared: the tables are correct.
  void proven() { proven_.store(true, std::memory_order_relaxed); }

 private:
  ReadablePages& pages_;
  std::atomic<bool> proven_{false};
};

}  // namespace ddm
