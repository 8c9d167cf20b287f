#include "heap/committed_memory.h"

#include <algorithm>

#include "core/own_memory.h"
#include "vm/vm_library.h"
#include "wire/chunks/mappings.h"

namespace ddm {
namespace {

// libjvm exports these for java.lang.Runtime's natives.
std::optional<std::uint64_t> query_vm(const char* name) {
  const auto ask = reinterpret_cast<std::int64_t (*)()>(vm_library::symbol(name));
  if (ask == nullptr) return std::nullopt;
  const std::int64_t bytes = ask();
  if (bytes < 0) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::vector<MemoryRange> writable_memory(std::uintptr_t begin, std::uintptr_t end) {
  std::vector<MemoryRange> ranges;
  for (const Mapping& mapping : parse_mappings(read_maps_text())) {
    if (!mapping.writable || mapping.end <= begin || mapping.begin >= end) continue;
    const std::uintptr_t from = std::max(mapping.begin, begin);
    const std::uintptr_t to = std::min(mapping.end, end);
    if (!ranges.empty() && ranges.back().end == from) {
      ranges.back().end = to;
    } else {
      ranges.push_back({from, to});
    }
  }
  return ranges;
}

std::optional<std::uint64_t> total_heap_memory() { return query_vm("JVM_TotalMemory"); }

std::optional<std::uint64_t> max_heap_memory() { return query_vm("JVM_MaxMemory"); }

std::optional<std::uint64_t> used_heap_memory() {
  // Two calls: repeated if the heap was resized in between.
  auto total = total_heap_memory();
  for (int attempts_left = 10; total; --attempts_left) {
    const auto free = query_vm("JVM_FreeMemory");
    const auto total_now = total_heap_memory();
    if (!free || !total_now) break;
    if (total_now == total || attempts_left == 1) return *total_now - std::min(*free, *total_now);
    total = total_now;
  }
  return std::nullopt;
}

}  // namespace ddm
