#include "allocations/store/kept_records.h"

#include <sys/mman.h>

#include <chrono>
#include <thread>

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kCopiersPatience{1};

// Stored as the size: the record of this seq was never written.
constexpr std::int64_t kNoRecord = -1;

}  // namespace

bool KeptRecords::begin_read(std::uint64_t end) {
  if (!memory_) {
    memory_ = std::make_unique<ReservedArray<RingSlot::Word>>(
        RingSlots::words_apart(index_.slots(), depth_));
  }
  if (!memory_->good()) {
    memory_.reset();
    return false;
  }
  end_.store(end, std::memory_order_seq_cst);
  return true;
}

void KeptRecords::copy(const RingSlot& slot, std::uint64_t seq, std::uint64_t former) {
  copying_.fetch_add(1, std::memory_order_seq_cst);
  // Reads end_ again: from here on the reader sees that a writer may be storing a copy.
  const std::uint64_t end = end_.load(std::memory_order_seq_cst);
  if (end != 0 && seq >= end) {
    const std::uint64_t slots = index_.slots();
    const std::uint64_t back = ((seq - end) / slots + 1) * slots;
    // The last record before `end` in this slot. The first writer that overwrites it keeps it.
    const std::uint64_t wanted = back < seq ? seq - back : 0;
    if (wanted != 0 && former <= wanted) {
      RingSlot to = this->slot(wanted);
      if (!to.lock(wanted)) {
      } else if (former == wanted) {
        to.copy_and_unlock(wanted, slot);
      } else {
        AllocRecord none;
        none.size = kNoRecord;
        to.write_and_unlock(wanted, none, 0, {});
      }
    }
  }
  copying_.fetch_sub(1, std::memory_order_release);
}

KeptRecords::Found KeptRecords::read(std::uint64_t seq, AllocRecord& record,
                                     std::span<Frame> frames) const {
  if (memory_ == nullptr || !slot(seq).read(seq, record, frames)) return Found::kNotYet;
  return record.size == kNoRecord ? Found::kNone : Found::kRecord;
}

void KeptRecords::end_read() {
  end_.store(0, std::memory_order_seq_cst);
  if (memory_ == nullptr) return;
  // If a writer is delayed in the middle of a copy, the memory is not freed until the next time.
  const auto give_up = std::chrono::steady_clock::now() + kCopiersPatience;
  while (copying_.load(std::memory_order_seq_cst) != 0) {
    if (std::chrono::steady_clock::now() >= give_up) return;
    std::this_thread::yield();
  }
  madvise(&(*memory_)[0], memory_->size() * sizeof(RingSlot::Word), MADV_DONTNEED);
}

}  // namespace ddm
