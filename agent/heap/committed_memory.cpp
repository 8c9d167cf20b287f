#include "heap/committed_memory.h"

#include <dlfcn.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace ddm {
namespace {

// libjvm exports these for java.lang.Runtime's natives.
std::optional<std::uint64_t> ask_vm(const char* name) {
  const auto ask = reinterpret_cast<std::int64_t (*)()>(dlsym(RTLD_DEFAULT, name));
  if (ask == nullptr) return std::nullopt;
  const std::int64_t bytes = ask();
  if (bytes <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::vector<MemoryRange> writable_memory(std::uintptr_t begin, std::uintptr_t end) {
  std::vector<MemoryRange> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    char permissions[5] = "";
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, permissions) != 3) {
      continue;
    }
    if (permissions[1] != 'w' || to <= begin || from >= end) continue;
    from = std::max(from, begin);
    to = std::min(to, end);
    if (!ranges.empty() && ranges.back().end == from) {
      ranges.back().end = to;
    } else {
      ranges.push_back({from, to});
    }
  }
  return ranges;
}

std::optional<std::uint64_t> total_heap_memory() { return ask_vm("JVM_TotalMemory"); }

std::optional<std::uint64_t> max_heap_memory() { return ask_vm("JVM_MaxMemory"); }

}  // namespace ddm
