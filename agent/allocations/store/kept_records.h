// The records of a ring that is being read: a writer that overwrites one of them stores a copy
// here.
//
// A reader that is delayed, or that shares the processor with many writers, never catches up with
// them. So a reader publishes up to which seq it reads, and while it does, writers copy the content
// of a slot before they overwrite it. That is one copy per slot and reader, and no thread waits: if
// a writer is in the middle of a copy, the reader retries that record at the end.
//
// The copies are in slots like those of the ring. Memory is committed on demand, and freed when the
// reader is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "allocations/store/alloc_record.h"
#include "allocations/store/ring_slots.h"
#include "allocations/store/slot_index.h"
#include "core/reserved_array.h"

namespace ddm {

class KeptRecords {
 public:
  KeptRecords(const SlotIndex& index, std::uint32_t depth) : index_(index), depth_(depth) {}

  // Called by a writer that has locked a slot for `seq` and not written yet; `former`: its content.
  void before_writing(const RingSlot& slot, std::uint64_t seq, std::uint64_t former) {
    if (end_.load(std::memory_order_acquire) == 0) [[likely]]
      return;
    copy(slot, seq, former);
  }

  // Serializes readers; held by the callers of the methods below.
  std::mutex& readers() { return readers_; }
  // Writers that draw their ticket from now on keep records before `end`. False: no memory.
  bool begin_read(std::uint64_t end);
  // Reads a record that is no longer in the ring. kNotYet: the slot's writer is about to store it;
  // kNone: there was no such record.
  enum class Found { kNotYet, kNone, kRecord };
  Found read(std::uint64_t seq, AllocRecord& record, std::span<Frame> frames) const;
  void end_read();

 private:
  void copy(const RingSlot& slot, std::uint64_t seq, std::uint64_t former);
  RingSlot slot(std::uint64_t seq) const {
    return RingSlots::apart(&(*memory_)[0], index_.slots(), depth_)[index_.of(seq)];
  }

  std::atomic<std::uint64_t> end_{0};  // 0: there is no reader
  const SlotIndex& index_;
  const std::uint32_t depth_;
  std::mutex readers_;
  std::unique_ptr<ReservedArray<RingSlot::Word>> memory_;  // null before the first reader
  // Number of writers that are storing a copy.
  alignas(64) std::atomic<int> copying_{0};
};

}  // namespace ddm
