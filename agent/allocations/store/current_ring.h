// The ring that is written to. It can be replaced while threads write: the old one is freed once no
// writer is inside it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "allocations/store/alloc_ring.h"
#include "core/reclamation.h"

namespace ddm {

class CurrentRing {
 public:
  // Writers call get() inside a Reading of `reclamation`.
  explicit CurrentRing(Reclamation& reclamation) : reclamation_(reclamation) {}

  // Null before the first replace(). The caller of replace() needs no Reading, since only that
  // could retire the ring.
  AllocRing* get() const { return ring_.load(); }

  // Waits briefly for writers, so that the memory is not kept until the next retire().
  void replace(std::shared_ptr<AllocRing> ring) {
    constexpr std::chrono::milliseconds kPatienceWithWriters{100};
    ring_.store(ring.get());
    if (auto old = std::exchange(owned_, std::move(ring))) {
      reclamation_.retire(std::move(old));
      reclamation_.wait_for_readers(kPatienceWithWriters);
    }
  }

 private:
  Reclamation& reclamation_;
  std::atomic<AllocRing*> ring_{nullptr};
  std::shared_ptr<AllocRing> owned_;
};

}  // namespace ddm
