#include "records/current_ring.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace ddm {
namespace {

// Where a thread announces its ring. Places are never freed, and are used again by later threads.
struct alignas(64) Place {
  std::atomic<AllocRing*> ring{nullptr};
  std::atomic<bool> taken{true};
  Place* next = nullptr;
};

std::atomic<Place*> g_places{nullptr};

// No destructor: a thread may still allocate after its thread_local objects are gone.
thread_local Place* t_place = nullptr;

struct PlaceReturner {
  ~PlaceReturner() {
    if (Place* place = std::exchange(t_place, nullptr)) place->taken.store(false);
  }
};

Place& take_place() {
  static thread_local PlaceReturner returner;
  static_cast<void>(returner);  // made here, so that it is destroyed when the thread ends
  for (Place* place = g_places.load(std::memory_order_acquire); place; place = place->next) {
    if (!place->taken.load(std::memory_order_relaxed) && !place->taken.exchange(true)) {
      return *(t_place = place);
    }
  }
  auto* place = new Place;
  place->next = g_places.load(std::memory_order_relaxed);
  while (!g_places.compare_exchange_weak(place->next, place)) {
  }
  return *(t_place = place);
}

std::atomic<AllocRing*>& own_place() { return (t_place != nullptr ? *t_place : take_place()).ring; }

// Every thread of this process has made its stores visible, and its loads after them are yet to
// come. False: this kernel cannot tell.
bool fence_in_all_threads() {
  return syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
         syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool anybody_in(const AllocRing* ring) {
  for (Place* place = g_places.load(); place != nullptr; place = place->next) {
    if (place->ring.load() == ring) return true;
  }
  return false;
}

}  // namespace

CurrentRing::Hold::Hold(const CurrentRing& current)
    : place_(own_place()),
      outermost_(place_.load(std::memory_order_relaxed) == nullptr),
      ring_(place_.load(std::memory_order_relaxed)) {
  if (!outermost_) return;
  ring_ = current.ring_.load(std::memory_order_acquire);
  while (true) {
    place_.store(ring_, std::memory_order_release);
    // The compiler keeps store and load in order; the processor does where it matters, see
    // replace().
    std::atomic_signal_fence(std::memory_order_seq_cst);
    AllocRing* again = current.ring_.load(std::memory_order_acquire);
    if (again == ring_) return;
    ring_ = again;
  }
}

CurrentRing::Hold::~Hold() {
  if (outermost_) place_.store(nullptr, std::memory_order_release);
}

void CurrentRing::replace(std::unique_ptr<AllocRing> ring) {
  const std::lock_guard lock(mutex_);
  ring_.store(ring.get());
  rings_.push_back(std::move(ring));
  // Who announced an old ring before this fence is seen below; who does later sees the new one.
  if (rings_.size() == 1 || !fence_in_all_threads()) return;
  std::erase_if(rings_, [this](const std::unique_ptr<AllocRing>& old) {
    return old.get() != ring_.load() && !anybody_in(old.get());
  });
}

std::size_t CurrentRing::rings_kept() const {
  const std::lock_guard lock(mutex_);
  return rings_.size();
}

}  // namespace ddm
