#include "allocations/store/alloc_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "allocations/store/ring_snapshot.h"

namespace ddm {
namespace {

// Far more slots than threads can have locked at one time, unless the ring has fewer.
constexpr int kMostTickets = 256;

// From this many records on a thread may draw two tickets at once, from twice as many four, ...
constexpr std::uint32_t kForTicketsAtOnce = 16384;
// One additional slot per this many records.
constexpr std::uint32_t kForMoreSlots = 64;

std::uint32_t slots_for(std::uint32_t records) {
  return records < kForTicketsAtOnce ? records : records + records / kForMoreSlots;
}

std::uint64_t next_runs() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// Slots begin here, on a page of their own.
constexpr std::size_t kCountersBytes = 4096;

}  // namespace

constinit thread_local TicketRun AllocRing::t_run;

std::unique_ptr<AllocRing> AllocRing::create(std::uint32_t records, std::uint32_t depth) {
  if (records < 1 || records > kMaxRecords || depth < 1 || depth > kMaxDepth) return nullptr;
  const std::uint32_t slot_count = slots_for(records);
  const std::size_t bytes = kCountersBytes + slot_count * RingSlot::bytes(depth);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::shared_ptr<void> owned(memory, [bytes](void* mapped) { munmap(mapped, bytes); });
  auto* slots = reinterpret_cast<RingSlot::Word*>(static_cast<std::byte*>(memory) + kCountersBytes);
  return std::unique_ptr<AllocRing>(new AllocRing(*new (memory) RingCounters, slots, slot_count,
                                                  records, depth, std::move(owned)));
}

std::unique_ptr<AllocRing> AllocRing::over_memory(RingCounters& counters, RingSlot::Word* slots,
                                                  std::uint32_t records, std::uint32_t depth) {
  return std::unique_ptr<AllocRing>(
      new AllocRing(counters, slots, records, records, depth, nullptr));
}

AllocRing::AllocRing(RingCounters& counters, RingSlot::Word* slots, std::uint32_t slot_count,
                     std::uint32_t records, std::uint32_t depth, std::shared_ptr<void> memory)
    : counters_(counters),
      slots_(slots),
      index_(slot_count),
      records_(records),
      depth_(depth),
      most_at_once_(
          std::clamp(records / (kForTicketsAtOnce / 2), std::uint32_t{1}, TicketRun::kMost)),
      runs_(next_runs()),
      kept_(index_, depth),
      memory_(std::move(memory)) {}

inline std::uint64_t AllocRing::ticket(std::int64_t time_ms) {
  // A writer that draws after a RingSnapshot's fetch_add() also sees its begin_read().
  const auto draw = [this](std::uint32_t count) {
    return counters_.next_seq.fetch_add(count, std::memory_order_acquire);
  };
  const auto peek = [this] { return counters_.next_seq.load(std::memory_order_relaxed); };
  return t_run.next(runs_.load(std::memory_order_acquire), time_ms, most_at_once_, draw, peek);
}

void AllocRing::end_runs() { runs_.store(next_runs(), std::memory_order_seq_cst); }

std::uint64_t AllocRing::push(const AllocRecord& record, std::span<const Frame> frames) {
  const auto kept = frames.first(std::min<std::size_t>(frames.size(), depth_));
  const int flags = record.flags | (frames.size() > depth_ ? kStackTruncated : 0);
  for (int tries = 0; tries < kMostTickets; ++tries) {
    const std::uint64_t seq = ticket(record.time_ms);
    RingSlot to = slot(seq);
    std::uint64_t former = 0;
    if (!to.lock(seq, former)) continue;
    kept_.before_writing(to, seq, former);
    to.write_and_unlock(seq, record, static_cast<std::uint16_t>(flags), kept);
    return seq;
  }
  return 0;
}

RecordSet AllocRing::snapshot() { return RingSnapshot(*this).records(); }

void AllocRing::clear() {
  end_runs();
  counters_.first_seq = counters_.next_seq.load();
}

std::uint64_t AllocRing::last_seq() {
  end_runs();
  return counters_.next_seq.load(std::memory_order_acquire) - 1;
}

}  // namespace ddm
