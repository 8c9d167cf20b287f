// The ring that records go to now. It can be replaced while threads write: a ring is given back
// once no thread is in it.
//
// A writer announces the ring that it is about to use in a place of its own thread and looks again
// (a hazard pointer): no lock, no cache line that other writers write to, and no memory fence,
// which whoever replaces the ring asks the kernel for (membarrier(2)).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "records/alloc_ring.h"

namespace ddm {

class CurrentRing {
 public:
  CurrentRing() = default;
  CurrentRing(const CurrentRing&) = delete;
  CurrentRing& operator=(const CurrentRing&) = delete;

  // The calling thread's hold on the ring that was current when it was made. Holds of one thread
  // may nest; the inner ones are on the same ring.
  class Hold {
   public:
    explicit Hold(const CurrentRing& current);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    explicit operator bool() const { return ring_ != nullptr; }
    AllocRing* operator->() const { return ring_; }

   private:
    std::atomic<AllocRing*>& place_;
    const bool outermost_;
    AllocRing* ring_;
  };

  // Gives back the rings replaced so far that nobody is in any more.
  void replace(std::unique_ptr<AllocRing> ring);

  // For those who also call replace(): no thread can take the ring away from under them.
  AllocRing* get() const { return ring_.load(std::memory_order_acquire); }

  std::size_t rings_kept() const;  // the current one and those that threads are still in

 private:
  std::atomic<AllocRing*> ring_{nullptr};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<AllocRing>> rings_;
};

}  // namespace ddm
