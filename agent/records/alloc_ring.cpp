#include "records/alloc_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

// Far more slots than threads can hold at one time, unless the ring has fewer.
constexpr int kMostTickets = 256;

// How long a snapshot waits, in all, for records that are just being written.
constexpr std::chrono::milliseconds kPatience{1};

// Slots begin here, on a page of their own.
constexpr std::size_t kCountersBytes = 4096;

}  // namespace

std::unique_ptr<AllocRing> AllocRing::create(std::uint32_t records, std::uint32_t depth) {
  if (records < 1 || records > kMaxRecords || depth < 1 || depth > kMaxDepth) return nullptr;
  const std::size_t bytes = kCountersBytes + records * RingSlot::bytes(depth);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::shared_ptr<void> owned(memory, [bytes](void* mapped) { munmap(mapped, bytes); });
  auto* slots = reinterpret_cast<RingSlot::Word*>(static_cast<std::byte*>(memory) + kCountersBytes);
  return std::unique_ptr<AllocRing>(
      new AllocRing(*new (memory) RingCounters, slots, records, depth, std::move(owned)));
}

std::unique_ptr<AllocRing> AllocRing::in(RingCounters& counters, RingSlot::Word* slots,
                                         std::uint32_t records, std::uint32_t depth) {
  return std::unique_ptr<AllocRing>(new AllocRing(counters, slots, records, depth, nullptr));
}

AllocRing::AllocRing(RingCounters& counters, RingSlot::Word* slots, std::uint32_t records,
                     std::uint32_t depth, std::shared_ptr<void> memory)
    : counters_(counters),
      slots_(slots),
      records_(records),
      mask_(std::has_single_bit(records) ? records - 1 : 0),
      depth_(depth),
      memory_(std::move(memory)) {}

std::uint64_t AllocRing::push(const AllocRecord& record, std::span<const Frame> frames) {
  const auto kept = frames.first(std::min<std::size_t>(frames.size(), depth_));
  const int flags = record.flags | (frames.size() > depth_ ? kStackTruncated : 0);
  for (int ticket = 0; ticket < kMostTickets; ++ticket) {
    const std::uint64_t seq = counters_.next_seq.fetch_add(1, std::memory_order_relaxed);
    RingSlot to = slot(seq);
    if (!to.lock(seq)) continue;
    to.write_and_unlock(seq, record, static_cast<std::uint16_t>(flags), kept);
    return seq;
  }
  return 0;
}

// Whether the record is there, or gone already; waits for one that is just being written.
bool AllocRing::settled(std::uint64_t seq, Clock::time_point& give_up) const {
  while (true) {
    const SlotState state = slot(seq).state_for(seq);
    if (state == SlotState::kWritten || state == SlotState::kNewer) return true;
    const Clock::time_point now = Clock::now();
    if (give_up == Clock::time_point{}) give_up = now + kPatience;
    if (now >= give_up) return false;
    std::this_thread::yield();
  }
}

RecordSet AllocRing::snapshot(std::uint64_t last_seq) const {
  const std::uint64_t end = last_seq + 1;
  const std::uint64_t first = counters_.first_seq.load(std::memory_order_relaxed);
  const std::uint64_t from = std::min(end, std::max(first, end > records_ ? end - records_ : 1));
  RecordSet result;
  result.reserve(end - from, (end - from) * depth_);
  AllocRecord record;
  std::vector<Frame> frames(depth_);
  Clock::time_point give_up{};
  // Oldest first, to stay ahead of the writers. What they overtake goes with all before it: holes
  // in a snapshot do not tell of the reader's pace.
  for (std::uint64_t seq = from; seq < end; ++seq) {
    if (!settled(seq, give_up)) continue;
    if (slot(seq).read(seq, record, frames)) {
      result.append_newer(record, std::span(frames).first(record.frame_count));
    } else {
      result.clear();
    }
  }
  return result;
}

void AllocRing::clear() { counters_.first_seq = counters_.next_seq.load(); }

std::uint64_t AllocRing::last_seq() const {
  return counters_.next_seq.load(std::memory_order_acquire) - 1;
}

}  // namespace ddm
