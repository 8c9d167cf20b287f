// The most recent allocations, in a fixed number of slots: the newest record overwrites the oldest.
//
// Any thread may record or take a snapshot at any time without waiting for another. A writer draws
// a ticket, the record's seq, or several (ticket_run.h), locks the ticket's slot (ring_slot.h), and
// copies the finished record. Two writers meet in a slot only if one of them was delayed (usually
// descheduled) for a whole round of the ring. The other one uses its next ticket: the record is
// kept, and one seq has no record. Some more slots than records compensate for unused tickets.
// Memory is reserved at once and committed as the ring fills.
//
// Of a stack that has all of its nodes in the CallTree of the tracking period, a record stores only
// the number, and readers get the frames from the tree.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "allocations/store/alloc_record.h"
#include "allocations/store/kept_records.h"
#include "allocations/store/record_set.h"
#include "allocations/store/ring_slots.h"
#include "allocations/store/slot_index.h"
#include "allocations/store/ticket_run.h"
#include "core/prefetch.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// Shared by all writers, on a cache line of its own in the ring's memory.
struct alignas(64) RingCounters {
  std::atomic<std::uint64_t> next_seq{1};   // the next ticket
  std::atomic<std::uint64_t> first_seq{1};  // records before this one were cleared
};

class AllocRing {
 public:
  // Null: no memory. `records` in 1..kMaxRecords, `depth` in 1..kMaxDepth.
  static std::unique_ptr<AllocRing> create(std::uint32_t records, std::uint32_t depth);
  // Over existing memory, which must outlive the ring. All slots are zero, and as many as records.
  static std::unique_ptr<AllocRing> over_memory(RingCounters& counters, RingSlot::Word* slots,
                                                std::uint32_t records, std::uint32_t depth);

  // Prefetches the slot that is likely to be written next.
  void prefetch_next() const {
    constexpr std::size_t kLineWords = 8, kLines = 3;  // the frames of most stacks
    if (t_run.empty()) prefetch_to_write(&counters_);
    const std::uint64_t seq = t_run.likely();
    if (seq == 0) return;  // it would take the cache line away from another writer
    const RingSlot to = slot(seq);
    prefetch_to_write(to.head());
    if (known_.load(std::memory_order_relaxed) != nullptr) return;
    for (std::size_t i = 0; i < kLines; ++i) prefetch_to_write(to.frames() + i * kLineWords);
  }

  // Stores the record with its first depth() frames; its seq is larger than the thread's earlier
  // ones. With more frames it sets kStackTruncated. Returns the seq, or 0: every slot tried is
  // locked by a delayed writer, which happens only in a ring of a few slots; nothing is stored.
  std::uint64_t push(const AllocRecord& record, std::span<const Frame> frames);

  // The same for a record whose stack has `frames` frames, which readers find by `trace` and `tree`.
  std::uint64_t push_numbered(const AllocRecord& record, std::size_t frames);
  // Whether they do; otherwise push() it with its frames.
  bool finds(const CallTree& traces, TraceNumber trace) const {
    return &traces == known_.load(std::memory_order_relaxed) && trace != kNoTrace &&
           !traces.lacks_frames(trace);
  }
  // Sets the tree that readers search, or null, after clear(): records with a number of another
  // tree are lost to them.
  void use(std::shared_ptr<const CallTree> traces);

  // The current records.
  RecordSet snapshot();

  // Drops all records; seq continues.
  void clear();

  // The last ticket drawn; 0 = none. Records that happen after this call get a larger seq.
  std::uint64_t last_seq();
  std::uint64_t next_seq() const { return counters_.next_seq.load(std::memory_order_relaxed); }
  std::uint32_t capacity() const { return records_; }
  std::uint32_t depth() const { return depth_; }

 private:
  friend class RingSnapshot;

  AllocRing(RingCounters& counters, const RingSlots& slots, std::uint32_t slot_count,
            std::uint32_t records, std::uint32_t depth);
  std::uint64_t ticket(std::int64_t time_ms);
  std::uint64_t store(const AllocRecord& record, int flags, std::span<const Frame> frames);
  // Invalidates the tickets that threads have drawn and not used.
  void end_runs();
  RingSlot slot(std::uint64_t seq) const { return slots_[index_.of(seq)]; }

  RingCounters& counters_;
  const RingSlots slots_;
  const SlotIndex index_;
  const std::uint32_t records_;
  const std::uint32_t depth_;
  const std::uint32_t most_at_once_;  // tickets
  std::atomic<std::uint64_t> runs_;   // unique number of the valid runs, over all rings
  KeptRecords kept_;
  std::unique_ptr<ReservedArray<std::byte>> memory_;  // null: not owned
  std::shared_ptr<const CallTree> traces_;            // read and set under kept_.readers()
  std::atomic<const CallTree*> known_{nullptr};       // the same, for writers

  static constinit thread_local TicketRun t_run;
};

// A snapshot of a ring: its newest records up to a seq, valid during this object's lifetime, while
// writers continue to overwrite them.
//
// Seqs without a record, or whose record is still being written, are missing.
class RingSnapshot {
 public:
  // Takes the snapshot. Waits for other readers of the same ring.
  explicit RingSnapshot(AllocRing& ring);
  ~RingSnapshot() { ring_.kept_.end_read(); }

  // At most the ring's capacity.
  RecordSet records() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Found = KeptRecords::Found;

  Found read(std::uint64_t seq, AllocRecord& record, std::span<Frame> frames) const;
  bool settled(std::uint64_t seq, Clock::time_point& give_up) const;

  AllocRing& ring_;
  const std::lock_guard<std::mutex> only_;
  bool kept_ = false;
  std::uint64_t from_ = 1;
  std::uint64_t end_ = 1;
};

}  // namespace ddm
