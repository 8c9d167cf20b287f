// One slot of a ring: a record and its frames in words that are read and written atomically.
//
//   head     word 0       state   0: never used   2*seq: holds record seq   2*seq + 1: being written
//            words 1-6    the AllocRecord after its seq
//   frames   Frame[depth], of which frame_count are set
//
// A writer locks the slot with the odd state, copies, and sets the even one. A copy is consistent
// if the state was even and equal before and after. A record whose writer was killed stays odd.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "allocations/store/alloc_record.h"

namespace ddm {

enum class SlotState { kOlder, kBeingWritten, kWritten, kNewer };

class RingSlot {
 public:
  using Word = std::atomic<std::uint64_t>;

  static constexpr std::size_t kHeadWords = sizeof(AllocRecord) / sizeof(Word);

  RingSlot(Word* head, Word* frames) : at_(head), frames_(frames) {}

  const Word* head() const { return at_; }
  const Word* frames() const { return frames_; }
  std::uint64_t state() const { return at_->load(std::memory_order_acquire); }

  // The state as seen from record `seq`, which belongs in this slot.
  SlotState state_for(std::uint64_t seq) const {
    const std::uint64_t now = state();
    if (now < written(seq)) return SlotState::kOlder;
    if (now == written(seq)) return SlotState::kWritten;
    return now == being_written(seq) ? SlotState::kBeingWritten : SlotState::kNewer;
  }

  // False: a writer of an earlier round is still in the slot, or one of a later round was here.
  // `former`: the record in the slot, or 0.
  bool lock(std::uint64_t seq, std::uint64_t& former) {
    std::uint64_t there = at_->load(std::memory_order_relaxed);
    former = there / 2;
    return (there & 1) == 0 && there < written(seq) &&
           at_->compare_exchange_strong(there, being_written(seq), std::memory_order_acquire,
                                        std::memory_order_relaxed);
  }
  bool lock(std::uint64_t seq) {
    std::uint64_t former = 0;
    return lock(seq, former);
  }

  // Called by the locker; stores all frames.
  void write_and_unlock(std::uint64_t seq, const AllocRecord& record, std::uint16_t flags,
                        std::span<const Frame> frames) {
    const Head head = head_of(record, static_cast<std::uint16_t>(frames.size()), flags);
    // Release stores: a reader that has seen one of the words also sees the odd state.
    for (std::size_t i = 1; i < kHeadWords; ++i) at_[i].store(head[i], std::memory_order_release);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      frames_[i].store(std::bit_cast<std::uint64_t>(frames[i]), std::memory_order_release);
    }
    at_->store(written(seq), std::memory_order_release);
  }

  // Called by the locker of both slots: copies record `seq`, which is still in `other`.
  void copy_and_unlock(std::uint64_t seq, const RingSlot& other) {
    std::array<std::uint64_t, kHeadWords> head{seq};
    for (std::size_t i = 1; i < kHeadWords; ++i) {
      head[i] = other.at_[i].load(std::memory_order_relaxed);
      at_[i].store(head[i], std::memory_order_release);
    }
    const std::size_t count = std::bit_cast<AllocRecord>(head).frame_count;
    for (std::size_t i = 0; i < count; ++i) {
      frames_[i].store(other.frames_[i].load(std::memory_order_relaxed), std::memory_order_release);
    }
    at_->store(written(seq), std::memory_order_release);
  }

  // Copies record `seq` and as many frames as `frames` holds. False: not in the slot, or
  // overwritten meanwhile.
  bool read(std::uint64_t seq, AllocRecord& record, std::span<Frame> frames) const {
    if (state_for(seq) != SlotState::kWritten) return false;
    Head head{seq};
    for (std::size_t i = 1; i < kHeadWords; ++i) head[i] = at_[i].load(std::memory_order_acquire);
    record = std::bit_cast<AllocRecord>(head);
    for (std::size_t i = 0; i < record.frame_count && i < frames.size(); ++i) {
      frames[i] = std::bit_cast<Frame>(frames_[i].load(std::memory_order_acquire));
    }
    return at_->load(std::memory_order_relaxed) == written(seq);
  }

 private:
  using Head = std::array<std::uint64_t, kHeadWords>;

  // Equivalent to std::bit_cast; but words assembled from the fields just written need not wait for
  // the store buffer.
  static Head head_of(const AllocRecord& record, std::uint16_t frame_count, std::uint16_t flags) {
    static_assert(std::endian::native == std::endian::little);
    const auto both = [](std::uint32_t low, std::uint32_t high) {
      return std::uint64_t{high} << 32 | low;
    };
    return {record.seq,
            static_cast<std::uint64_t>(record.time_ms),
            static_cast<std::uint64_t>(record.size),
            static_cast<std::uint64_t>(record.thread_id),
            both(record.class_id, std::uint32_t{flags} << 16 | frame_count),
            both(std::bit_cast<std::uint32_t>(record.weight), record.book),
            both(record.trace, record.tree)};
  }

  static_assert(sizeof(Head) == sizeof(AllocRecord) && sizeof(Frame) == sizeof(Word));
  static_assert(offsetof(AllocRecord, seq) == 0, "the state stands where the record's seq was");
  static_assert(sizeof(Word) == sizeof(std::uint64_t) && Word::is_always_lock_free);

  static constexpr std::uint64_t written(std::uint64_t seq) { return 2 * seq; }
  static constexpr std::uint64_t being_written(std::uint64_t seq) { return 2 * seq + 1; }

  Word* at_;  // the head
  Word* frames_;
};

}  // namespace ddm
