#include "core/reclamation.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

namespace ddm {
namespace {

using Place = Reclamation::Place;

// Per process: a thread has one place for all instances.
std::atomic<Place*> g_places{nullptr};
// Of threads that have ended. A list of its own: with thousands of threads a search of all places
// would take each new one tens of microseconds.
constinit std::mutex g_free_mutex;
Place* g_free = nullptr;

// No destructor: a thread may still read after its thread_local objects are gone.
thread_local Place* t_place = nullptr;

struct PlaceReturner {
  ~PlaceReturner() {
    Place* const place = t_place;
    if (place == nullptr || place->readings != 0) return;
    t_place = nullptr;
    const std::lock_guard lock(g_free_mutex);
    place->next_free = std::exchange(g_free, place);
  }
};

bool membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0) == 0; }

// Whether membarrier(2) is available.
bool kernel_fences() {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return registered;
}

// On return every thread of the process has executed a full fence.
void fence_in_all_threads(std::atomic<std::uint64_t>& phase) {
  phase.fetch_add(0, std::memory_order_seq_cst);  // a fence that tsan models
  if (kernel_fences()) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

Place& take_place() {
  static thread_local PlaceReturner returner;
  static_cast<void>(returner);  // constructed here, so that it is destroyed when the thread ends
  {
    const std::lock_guard lock(g_free_mutex);
    if (g_free != nullptr) return *(t_place = std::exchange(g_free, g_free->next_free));
  }
  auto* place = new Place;  // bad_alloc for 64 bytes ends the process either way
  place->kernel_fences = kernel_fences();
  place->next = g_places.load(std::memory_order_relaxed);
  while (!g_places.compare_exchange_weak(place->next, place)) {
  }
  return *(t_place = place);
}

std::uint64_t oldest_phase_read() {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const Place* place = g_places.load(); place != nullptr; place = place->next) {
    if (const std::uint64_t phase = place->phase.load(); phase != 0) {
      oldest = std::min(oldest, phase);
    }
  }
  return oldest;
}

}  // namespace

std::atomic<std::uint64_t> Reclamation::s_phase{1};

Place& Reclamation::own_place() noexcept { return t_place != nullptr ? *t_place : take_place(); }

std::uint64_t Reclamation::free_unseen() {
  std::vector<Retired> unseen;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  fence_in_all_threads(s_phase);
  const std::uint64_t oldest = oldest_phase_read();
  const auto seen =
      std::stable_partition(retired_.begin(), retired_.end(),
                            [oldest](const Retired& retired) { return retired.phase >= oldest; });
  unseen.assign(std::make_move_iterator(seen), std::make_move_iterator(retired_.end()));
  retired_.erase(seen, retired_.end());
  return oldest;
}

void Reclamation::retire(std::shared_ptr<const void> unreachable) {
  {
    const std::lock_guard lock(mutex_);
    retired_.push_back({s_phase.fetch_add(1), std::move(unreachable)});
    if (retired_.size() < enough_) return;
  }
  free_unseen();
  const std::lock_guard lock(mutex_);
  enough_ = std::max(kEnough, 2 * retired_.size());
}

bool Reclamation::wait_for_readers(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const std::uint64_t now = s_phase.fetch_add(1);
  while (free_unseen() <= now) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace ddm
