// The ring that records go to now. It can be replaced while threads write: the old one is given
// back once no writer is in it any more.
#pragma once

#include <atomic>
#include <memory>

#include "allocations/store/alloc_ring.h"
#include "core/reclamation.h"

namespace ddm {

class CurrentRing {
 public:
  // Writers use get() inside a Reading of `reclamation`.
  explicit CurrentRing(Reclamation& reclamation) : reclamation_(reclamation) {}

  // Null before the first one. Whoever also calls replace() needs no Reading: nobody takes the ring
  // away from under them.
  AllocRing* get() const { return ring_.load(); }

  // Waits a moment for writers, so that the memory is not kept until something else is retired.
  void replace(std::shared_ptr<AllocRing> ring);

 private:
  Reclamation& reclamation_;
  std::atomic<AllocRing*> ring_{nullptr};
  std::shared_ptr<AllocRing> owned_;
};

}  // namespace ddm
