// The committed ranges of the heap, for empty G1 regions, which stay in G1's table after their
// memory was uncommitted; and the heap's total and used bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ddm {

struct MemoryRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The writable ranges in [begin, end), from /proc/self/maps, in ascending order.
std::vector<MemoryRange> writable_memory(std::uintptr_t begin, std::uintptr_t end);

// Runtime's totalMemory(), maxMemory(), and totalMemory() - freeMemory(), from the VM directly.
// Attached threads. nullopt: not available.
std::optional<std::uint64_t> total_heap_memory();
std::optional<std::uint64_t> max_heap_memory();
std::optional<std::uint64_t> used_heap_memory();

}  // namespace ddm
