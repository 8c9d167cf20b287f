// The VM's own list of Java threads, read at a safepoint.
#pragma once

#include <cstdint>
#include <optional>

#include "vm/memory/object_layout.h"
#include "vm/memory/vm_claims.h"

namespace ddm {

class VmThreadList {
 public:
  // nullopt: the VM's tables lack it, or the list does not contain the calling thread. `current`:
  // the calling thread's JavaThread.
  static std::optional<VmThreadList> find(std::uintptr_t current);

  // Call at a safepoint, when the list cannot change. `visit` receives each JavaThread's address.
  template <typename Visit>
  void for_each(Visit visit) const {
    const auto list = read_at<std::uintptr_t>(layout_.list_at);
    if (list == 0) return;
    const auto length = read_at<std::uint32_t>(list + layout_.length);
    const auto threads = read_at<std::uintptr_t>(list + layout_.threads);
    for (std::uint32_t i = 0; i < length; ++i) {
      const auto thread = read_at<std::uintptr_t>(threads + i * sizeof(std::uintptr_t));
      if (thread != 0) visit(thread);
    }
  }

 private:
  explicit VmThreadList(const ThreadListLayout& layout) : layout_(layout) {}

  ThreadListLayout layout_;
};

}  // namespace ddm
