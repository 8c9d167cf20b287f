// Reads of the VM's memory.
//
// load() is for memory that the caller knows to be there; UnprovenMemory for what nothing but the VM's
// tables say to be there, until walks by them were right; is_readable() answers for addresses that
// were found where a pointer should be. It remembers pages, so that it costs a system call only for
// those that were not asked for before. Any thread.
#pragma once

#include <atomic>
#include <memory>

#include "stack/walk/vm_layout.h"

namespace ddm {

// A stray pointer may lead beside any object, into whatever can be read: no sanitizer's business.
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

  // Whether `bytes` (at most a page) can be read there.
  bool is_readable(VmAddress at, std::size_t bytes);

 private:
  bool page_is_readable(VmAddress page);

  static constexpr std::size_t kSlots = 4096;
  const std::unique_ptr<std::atomic<VmAddress>[]> known_;
};

class UnprovenMemory {
 public:
  explicit UnprovenMemory(ReadablePages& pages) : pages_(pages) {}

  // T{} where nothing can be read.
  template <typename T>
  T read(VmAddress at) const {
    if (!proven_.load(std::memory_order_relaxed) && !pages_.is_readable(at, sizeof(T))) {
      return T{};
    }
    return load<T>(at);
  }
  // Walks were compared: what the tables say holds.
  void proven() { proven_.store(true, std::memory_order_relaxed); }

 private:
  ReadablePages& pages_;
  std::atomic<bool> proven_{false};
};

}  // namespace ddm
