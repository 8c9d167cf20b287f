// A snapshot of a ring: its newest records up to a seq, valid during this object's lifetime, while
// writers continue to overwrite them.
//
// Seqs without a record, or whose record is still being written, are missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>

#include "allocations/store/alloc_ring.h"
#include "allocations/store/record_set.h"

namespace ddm {

class RingSnapshot {
 public:
  // Takes the snapshot. Waits for other readers of the same ring.
  explicit RingSnapshot(AllocRing& ring);
  ~RingSnapshot() { ring_.kept_.end_read(); }
  RingSnapshot(const RingSnapshot&) = delete;
  RingSnapshot& operator=(const RingSnapshot&) = delete;

  // The last ticket drawn; 0 = none. Records that happen after this moment get a larger seq.
  std::uint64_t last_seq() const { return end_ - 1; }

  // At most the ring's capacity.
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
