#include "vm/own_threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace ddm {
namespace {

using JavaIds = std::array<std::atomic<std::int64_t>, 16>;  // 0: free; no Java thread has id 0

JavaIds g_own_threads{};
JavaIds g_ended{};  // the latest; the VM lists a thread for a while after its last instruction
std::atomic<std::size_t> g_next_ended{0};

bool has(const JavaIds& ids, std::int64_t java_id) {
  return std::ranges::any_of(ids, [java_id](const auto& own) { return own == java_id; });
}

}  // namespace

void add_own_thread(std::int64_t java_id) {
  for (auto& place : g_own_threads) {
    std::int64_t free = 0;
    if (place.compare_exchange_strong(free, java_id)) return;
  }
}

void remove_own_thread(std::int64_t java_id) {
  if (!is_own_thread(java_id)) return;
  g_ended[g_next_ended++ % g_ended.size()] = java_id;  // before it leaves the others
  for (auto& place : g_own_threads) {
    std::int64_t own = java_id;
    if (place.compare_exchange_strong(own, 0)) return;
  }
}

bool is_own_thread(std::int64_t java_id) {
  return java_id != 0 && (has(g_own_threads, java_id) || has(g_ended, java_id));
}

}  // namespace ddm
