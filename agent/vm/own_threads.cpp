#include "vm/own_threads.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace ddm {
namespace {

std::array<std::atomic<std::int64_t>, 16> g_own_threads{};  // 0: free; no Java thread has id 0

}  // namespace

void add_own_thread(std::int64_t java_id) {
  for (auto& place : g_own_threads) {
    std::int64_t free = 0;
    if (place.compare_exchange_strong(free, java_id)) return;
  }
}

void remove_own_thread(std::int64_t java_id) {
  for (auto& place : g_own_threads) {
    std::int64_t own = java_id;
    if (java_id != 0 && place.compare_exchange_strong(own, 0)) return;
  }
}

bool is_own_thread(std::int64_t java_id) {
  return java_id != 0 &&
         std::ranges::any_of(g_own_threads, [java_id](const auto& own) { return own == java_id; });
}

}  // namespace ddm
