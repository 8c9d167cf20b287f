// How much of the heap is committed, and where: for empty G1 regions, which stay in G1's table when
// their memory has been given back. And how much of it is in use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ddm {

struct MemoryRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// What of [begin, end) can be written to, from /proc/self/maps; in ascending order.
std::vector<MemoryRange> writable_memory(std::uintptr_t begin, std::uintptr_t end);

// Runtime.totalMemory(), asked of the VM directly. Threads attached to it. None: not to be had.
std::optional<std::uint64_t> total_heap_memory();
// The same for Runtime.maxMemory(), and totalMemory() - freeMemory().
std::optional<std::uint64_t> max_heap_memory();
std::optional<std::uint64_t> used_heap_memory();

}  // namespace ddm
