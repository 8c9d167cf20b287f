// The most recent allocations: a fixed number of slots, the newest record overwrites the oldest.
//
// Any thread may record or take a snapshot at any time. The lock covers the copy of one finished
// record (or of one batch of kSnapshotBatch records), never a stack walk or a name look-up.
// Memory is reserved at once and touched as it fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "records/alloc_record.h"
#include "records/record_set.h"

namespace ddm {

class AllocRing {
 public:
  // Null when the memory cannot be had. `records` in 1..kMaxRecords, `depth` in 1..kMaxDepth.
  static std::unique_ptr<AllocRing> create(std::uint32_t records, std::uint32_t depth);
  ~AllocRing();
  AllocRing(const AllocRing&) = delete;
  AllocRing& operator=(const AllocRing&) = delete;

  // Stores the record with the first depth() frames and gives it the next seq. More frames than
  // that set kStackTruncated.
  void push(const AllocRecord& record, std::span<const Frame> frames);

  // The records present when the call began, less those overwritten before they could be copied:
  // always an unbroken run of seq up to the newest. Writers go on meanwhile.
  RecordSet snapshot() const;

  // Forgets all records; seq goes on.
  void clear();

  std::uint64_t pushed() const;  // records ever stored
  std::uint32_t capacity() const { return records_; }
  std::uint32_t depth() const { return depth_; }

 private:
  AllocRing(std::byte* memory, std::size_t bytes, std::uint32_t records, std::uint32_t depth);
  std::byte* slot(std::uint64_t seq) const;

  // A slot: | AllocRecord | Frame[depth] |
  std::byte* const memory_;
  const std::size_t bytes_;
  const std::uint32_t records_;
  const std::uint32_t depth_;
  const std::size_t stride_;
  mutable std::mutex mutex_;
  std::uint64_t next_seq_ = 1;
  std::uint64_t first_seq_ = 1;  // everything before was cleared
};

}  // namespace ddm
