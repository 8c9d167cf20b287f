// Frees memory that other threads read without a lock once no reader can hold a pointer into it.
//
// Readers are inside a Reading while they use a pointer. A writer first unlinks the old object,
// then retires it; it is freed when every reader that may have seen it has left.
//
// Time is divided into phases; each retire() ends one. A reader publishes the phase of its entry
// (reader_place.h). What was retired in phase n is freed once no reader that entered in phase n or
// before remains.
//
// Readers and phases are per process, so a Reading protects objects of every instance; an instance
// only holds what its writers have retired.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/reader_place.h"

namespace ddm {

class Reclamation {
 public:
  class Reading {  // may be nested; constructed and destroyed on one thread
   public:
    Reading() noexcept : Reading(ReaderPlace::own()) {}
    // For a caller that has cached the calling thread's place.
    explicit Reading(ReaderPlace& place) noexcept : place_(place) {
      // Publishing the phase late only delays reclamation.
      if (place_.readings++ == 0) place_.publish(place_.phase, s_phase.load());
    }
    ~Reading() {
      if (--place_.readings == 0) place_.phase.store(0, std::memory_order_release);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    ReaderPlace& place_;
  };

  // Frees the object later, in a retire() of any thread: in batches, since a membarrier takes
  // microseconds. May be called inside a Reading.
  void retire(std::shared_ptr<const void> unreachable);

  // Waits until every thread that is inside a Reading now has left it. False: timed out. Must not
  // be called inside a Reading.
  bool wait_for_readers(std::chrono::milliseconds patience);

 private:
  struct Retired {
    std::uint64_t phase;
    std::shared_ptr<const void> thing;
  };

  // Frees what no reader can see. Returns the oldest phase that a reader entered in.
  std::uint64_t free_unseen();

  static constexpr std::size_t kEnough = 16;
  static std::atomic<std::uint64_t> s_phase;  // per process

  std::mutex mutex_;  // held by writers
  std::vector<Retired> retired_;
  std::size_t enough_ = kEnough;  // how many retired objects make a batch
};

}  // namespace ddm
