// What a ring holds at one moment: its newest records up to a seq, for as long as this lives, while
// writers go on and overwrite them.
//
// Missing are seqs that no record has, or that are still being written.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>

#include "allocations/store/alloc_ring.h"
#include "allocations/store/record_set.h"

namespace ddm {

class RingMoment {
 public:
  // The moment is now. Waits for others that look at the same ring.
  explicit RingMoment(AllocRing& ring);
  ~RingMoment() { ring_.kept_.keep_no_more(); }
  RingMoment(const RingMoment&) = delete;
  RingMoment& operator=(const RingMoment&) = delete;

  // The last ticket drawn; 0 = none. Records that happen after this moment get a larger seq.
  std::uint64_t last_seq() const { return end_ - 1; }

  // At most as many as the ring's capacity.
  RecordSet records() const;

 private:
  using Clock = std::chrono::steady_clock;

  KeptRecords::Found read(std::uint64_t seq, AllocRecord& record, std::span<Frame> frames) const;
  bool settled(std::uint64_t seq, Clock::time_point& give_up) const;

  AllocRing& ring_;
  const std::lock_guard<std::mutex> only_;
  bool kept_ = false;
  std::uint64_t from_ = 1;
  std::uint64_t end_ = 1;
};

}  // namespace ddm
