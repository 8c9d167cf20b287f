#include "core/reader_place.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <utility>

#include "core/thread_exit.h"

namespace ddm {
namespace {

std::atomic<ReaderPlace*> g_places{nullptr};
// Of threads that have ended. A list of its own: with thousands of threads a search of all places
// would take each new one tens of microseconds.
constinit std::mutex g_free_mutex;
ReaderPlace* g_free = nullptr;

bool membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0) == 0; }

// Whether membarrier(2) is available.
bool kernel_can_fence() {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return registered;
}

}  // namespace

constinit thread_local ReaderPlace* ReaderPlace::t_own = nullptr;

void ReaderPlace::give_back() noexcept {
  ReaderPlace* const place = t_own;
  if (place == nullptr || place->readings != 0) return;
  t_own = nullptr;
  const std::lock_guard lock(g_free_mutex);
  place->next_free = std::exchange(g_free, place);
}

ReaderPlace& ReaderPlace::take() noexcept {
  ThreadExit::call(give_back);
  {
    const std::lock_guard lock(g_free_mutex);
    if (g_free != nullptr) return *(t_own = std::exchange(g_free, g_free->next_free));
  }
  auto* place = new ReaderPlace;  // bad_alloc for 64 bytes ends the process either way
  place->kernel_fences = kernel_can_fence();
  place->next = g_places.load(std::memory_order_relaxed);
  while (!g_places.compare_exchange_weak(place->next, place)) {
  }
  return *(t_own = place);
}

const ReaderPlace* ReaderPlace::first() noexcept { return g_places.load(); }

void fence_in_all_threads(std::atomic<std::uint64_t>& written) noexcept {
  written.fetch_add(0, std::memory_order_seq_cst);  // a fence that tsan models
  if (kernel_can_fence()) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace ddm
