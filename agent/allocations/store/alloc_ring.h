// The most recent allocations: a fixed number of slots, the newest record overwrites the oldest.
//
// Any thread may record or take a snapshot at any time, and none waits for another. A writer draws
// a ticket, the record's seq, or several (ticket_run.h), locks the slot that belongs to it
// (ring_slot.h), and copies the finished record. Writers come together in one slot only if one of
// them was held up (descheduled, as a rule) for a whole round of the ring. The other one goes on with
// the next ticket: the record is kept, and a seq is missing. Some more slots than records make up for
// tickets that nobody uses. Memory is reserved at once and touched as it fills.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "allocations/store/alloc_record.h"
#include "allocations/store/kept_records.h"
#include "allocations/store/record_set.h"
#include "allocations/store/ring_slot.h"
#include "allocations/store/slot_index.h"
#include "allocations/store/ticket_run.h"
#include "core/prefetch.h"

namespace ddm {

// What all writers share, on a cache line of its own. Lies in the ring's memory.
struct alignas(64) RingCounters {
  std::atomic<std::uint64_t> next_seq{1};   // the next ticket
  std::atomic<std::uint64_t> first_seq{1};  // everything before was cleared
};

class AllocRing {
 public:
  // Null when the memory cannot be had. `records` in 1..kMaxRecords, `depth` in 1..kMaxDepth.
  static std::unique_ptr<AllocRing> create(std::uint32_t records, std::uint32_t depth);
  // In memory of somebody else, who outlives the ring. All slots are zero, and as many as records.
  static std::unique_ptr<AllocRing> over_memory(RingCounters& counters, RingSlot::Word* slots,
                                                std::uint32_t records, std::uint32_t depth);
  AllocRing(const AllocRing&) = delete;
  AllocRing& operator=(const AllocRing&) = delete;

  // The slot that is likely to be written next is fetched while the caller does something else.
  void prefetch_next() const {
    constexpr std::size_t kLine = 64, kLines = 4;  // the head, and the frames of most stacks
    if (t_run.empty()) prefetch_to_write(&counters_);
    const std::uint64_t seq = t_run.likely();
    if (seq == 0) return;  // the line would be taken away from who writes there
    const auto* to = reinterpret_cast<const char*>(words_of(seq));
    for (std::size_t i = 0; i < kLines; ++i) prefetch_to_write(to + i * kLine);
  }

  // Stores the record with the first depth() frames and gives it a seq above those of the thread's
  // former ones. More frames than that set kStackTruncated. The seq, or 0: every slot that was tried
  // is held by a writer that does not go on, which takes a ring of a few slots; nothing is stored.
  std::uint64_t push(const AllocRecord& record, std::span<const Frame> frames);

  // What the ring holds now (ring_moment.h).
  RecordSet snapshot();

  // Forgets all records; seq goes on.
  void clear();

  // The last ticket drawn; 0 = none. Records that happen after this call get a larger seq.
  std::uint64_t last_seq();
  std::uint32_t capacity() const { return records_; }
  std::uint32_t depth() const { return depth_; }

 private:
  friend class RingMoment;

  AllocRing(RingCounters& counters, RingSlot::Word* slots, std::uint32_t slot_count,
            std::uint32_t records, std::uint32_t depth, std::shared_ptr<void> memory);
  std::uint64_t ticket(std::int64_t time_ms);
  // What threads have drawn and not used is good no longer.
  void end_runs();
  RingSlot::Word* words_of(std::uint64_t seq) const {
    return slots_ + index_.of(seq) * RingSlot::words(depth_);
  }
  RingSlot slot(std::uint64_t seq) const { return RingSlot(words_of(seq)); }

  RingCounters& counters_;
  RingSlot::Word* const slots_;
  const SlotIndex index_;
  const std::uint32_t records_;
  const std::uint32_t depth_;
  const std::uint32_t most_at_once_;  // tickets
  std::atomic<std::uint64_t> runs_;   // a number that no other runs have, of any ring
  KeptRecords kept_;
  const std::shared_ptr<void> memory_;  // null: somebody else's

  static constinit thread_local TicketRun t_run;
};

}  // namespace ddm
