// The records of a ring that somebody is reading: whoever overwrites one of them keeps a copy here.
//
// A reader that the system holds up, or that shares the processor with many writers, never catches
// up with them. So a reader says up to which seq it reads, and while it does, writers copy what
// they find in a slot before they write there. That is once a slot for each reader, and nobody
// waits: who is in the middle of a copy when the reader comes by is asked again at the end.
//
// The copies lie in slots as those of the ring. Memory is taken as writers need it, and given back
// when the reader is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "allocations/store/alloc_record.h"
#include "allocations/store/ring_slot.h"
#include "allocations/store/slot_index.h"

namespace ddm {

class KeptRecords {
 public:
  KeptRecords(const SlotIndex& index, std::uint32_t depth) : index_(index), depth_(depth) {}

  // By a writer that has locked a slot for `seq` and not yet written there; `former`: what is there.
  void before_writing(const RingSlot& slot, std::uint64_t seq, std::uint64_t former) {
    if (end_.load(std::memory_order_acquire) == 0) [[likely]]
      return;
    keep(slot, seq, former);
  }

  // Readers come one after the other: whoever calls any of these has the lock.
  std::mutex& readers() { return readers_; }
  // Writers that draw their ticket later keep what is before `end`. False: there is no memory.
  bool keep_up_to(std::uint64_t end);
  // Of a record that the ring has no longer. kNotYet: its slot's next writer is about to keep it;
  // kNone: that writer found that there was no such record.
  enum class Found { kNotYet, kNone, kRecord };
  Found read(std::uint64_t seq, AllocRecord& record, std::span<Frame> frames) const;
  void keep_no_more();

 private:
  void keep(const RingSlot& slot, std::uint64_t seq, std::uint64_t former);
  RingSlot::Word* words_of(std::uint64_t seq) const {
    return slots_.get() + index_.of(seq) * RingSlot::words(depth_);
  }

  std::atomic<std::uint64_t> end_{0};  // 0: nobody reads
  const SlotIndex& index_;
  const std::uint32_t depth_;
  std::mutex readers_;
  std::shared_ptr<RingSlot::Word> slots_;  // null before the first reader
  // Writers that keep something now.
  alignas(64) std::atomic<int> keeping_{0};
};

}  // namespace ddm
