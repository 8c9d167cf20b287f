#include "allocations/store/alloc_ring.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "core/reserved_array.h"

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

// How long to wait, in total, for records that are being written, and how many tickets back: the
// writer of an older ticket will not store its record soon, if ever.
constexpr std::chrono::milliseconds kWritersPatience{1};
constexpr std::uint64_t kWaitsFor = 4096;

// For writers that are delayed while they store a copy.
constexpr std::chrono::milliseconds kKeepersPatience{50};

// If writers draw more than one ticket per this many records while the end is published, the moment
// is taken again, since the oldest records are lost.
constexpr std::uint64_t kFewOf = 64;
constexpr int kMomentTries = 8;

}  // namespace

constinit thread_local TicketRun AllocRing::t_run;

std::unique_ptr<AllocRing> AllocRing::create(std::uint32_t records, std::uint32_t depth) {
  if (records < 1 || records > kMaxRecords || depth < 1 || depth > kMaxDepth) return nullptr;
  const std::uint32_t slot_count = slots_for(records);
  auto memory = std::make_unique<ReservedArray<std::byte>>(
      kCountersBytes + RingSlots::words_apart(slot_count, depth) * sizeof(RingSlot::Word));
  if (!memory->good()) return nullptr;
  auto& counters = *new (&(*memory)[0]) RingCounters;
  auto* const at = reinterpret_cast<RingSlot::Word*>(&(*memory)[kCountersBytes]);
  std::unique_ptr<AllocRing> ring(
      new AllocRing(counters, RingSlots::apart(at, slot_count, depth), slot_count, records, depth));
  ring->memory_ = std::move(memory);
  return ring;
}

std::unique_ptr<AllocRing> AllocRing::over_memory(RingCounters& counters, RingSlot::Word* slots,
                                                  std::uint32_t records, std::uint32_t depth) {
  return std::unique_ptr<AllocRing>(
      new AllocRing(counters, RingSlots::adjacent(slots, depth), records, records, depth));
}

AllocRing::AllocRing(RingCounters& counters, const RingSlots& slots, std::uint32_t slot_count,
                     std::uint32_t records, std::uint32_t depth)
    : counters_(counters),
      slots_(slots),
      index_(slot_count),
      records_(records),
      depth_(depth),
      most_at_once_(
          std::clamp(records / (kForTicketsAtOnce / 2), std::uint32_t{1}, TicketRun::kMost)),
      runs_(next_runs()),
      kept_(index_, depth) {}

inline std::uint64_t AllocRing::ticket(std::int64_t time_ms) {
  // A writer that draws after a RingSnapshot's fetch_add() also sees its begin_read().
  const auto draw = [this](std::uint32_t count) {
    return counters_.next_seq.fetch_add(count, std::memory_order_acquire);
  };
  const auto peek = [this] { return counters_.next_seq.load(std::memory_order_relaxed); };
  return t_run.next(runs_.load(std::memory_order_acquire), time_ms, most_at_once_, draw, peek);
}

void AllocRing::use(std::shared_ptr<const CallTree> traces) {
  if (traces != nullptr && traces->depth() < depth_) traces = nullptr;
  const std::lock_guard lock(kept_.readers());
  traces_ = std::move(traces);
  known_ = traces_.get();
}

void AllocRing::end_runs() { runs_.store(next_runs(), std::memory_order_seq_cst); }

std::uint64_t AllocRing::push(const AllocRecord& record, std::span<const Frame> frames) {
  const auto kept = frames.first(std::min<std::size_t>(frames.size(), depth_));
  return store(record, frames.size() > depth_ ? kStackTruncated : 0, kept);
}

std::uint64_t AllocRing::push_numbered(const AllocRecord& record, std::size_t frames) {
  return store(record, kFramesOfTrace | (frames > depth_ ? kStackTruncated : 0), {});
}

inline std::uint64_t AllocRing::store(const AllocRecord& record, int flags,
                                      std::span<const Frame> frames) {
  for (int tries = 0; tries < kMostTickets; ++tries) {
    const std::uint64_t seq = ticket(record.time_ms);
    RingSlot to = slot(seq);
    std::uint64_t former = 0;
    if (!to.lock(seq, former)) continue;
    kept_.before_writing(to, seq, former);
    to.write_and_unlock(seq, record, static_cast<std::uint16_t>(record.flags | flags), frames);
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

RingSnapshot::RingSnapshot(AllocRing& ring) : ring_(ring), only_(ring.kept_.readers()) {
  auto& next_seq = ring.counters_.next_seq;
  const std::uint64_t slots = ring.index_.slots();
  std::uint64_t known = 0;
  for (int tries = 0; tries < kMomentTries; ++tries) {
    end_ = ring.last_seq() + 1;
    kept_ = ring.kept_.begin_read(end_);
    // Writers that draw a ticket from here on know the end. Earlier tickets can only overwrite
    // records more than a round back.
    known = next_seq.fetch_add(0, std::memory_order_acq_rel);
    if (!kept_ || known - end_ <= ring.records_ / kFewOf) break;
  }
  const std::uint64_t first = ring.counters_.first_seq.load(std::memory_order_relaxed);
  from_ = std::min(end_, std::max(first, known > slots ? known - slots : 1));
}

// Whether the record was written, or even overwritten; waits for a record that is being written.
bool RingSnapshot::settled(std::uint64_t seq, Clock::time_point& give_up) const {
  while (true) {
    const SlotState state = ring_.slot(seq).state_for(seq);
    if (state == SlotState::kWritten || state == SlotState::kNewer) return true;
    const Clock::time_point now = Clock::now();
    if (give_up == Clock::time_point{}) give_up = now + kWritersPatience;
    if (now >= give_up) return false;
    std::this_thread::yield();
  }
}

RingSnapshot::Found RingSnapshot::read(std::uint64_t seq, AllocRecord& record,
                                       std::span<Frame> frames) const {
  const RingSlot slot = ring_.slot(seq);
  if (!slot.read(seq, record, frames)) {
    if (slot.state_for(seq) != SlotState::kNewer) return Found::kNone;
    if (const Found kept = ring_.kept_.read(seq, record, frames); kept != Found::kRecord) {
      return kept;
    }
  }
  if ((record.flags & kFramesOfTrace) != 0) {
    const CallTree* const tree = ring_.traces_.get();
    if (tree == nullptr || record.tree != tree->id()) return Found::kNone;
    record.flags &= static_cast<std::uint16_t>(~kFramesOfTrace);
    record.frame_count = static_cast<std::uint16_t>(tree->read(record.trace, frames));
  }
  return Found::kRecord;
}

RecordSet RingSnapshot::records() const {
  RecordSet result;
  result.reserve(end_ - from_, (end_ - from_) * ring_.depth_);
  AllocRecord record;
  std::vector<Frame> frames(ring_.depth_);
  const auto append = [&] {
    result.append_newer(record, std::span(frames).first(record.frame_count));
  };
  Clock::time_point give_up{};
  std::vector<std::uint64_t> missing;  // whose copies are still being stored
  for (std::uint64_t seq = from_; seq < end_; ++seq) {
    if (end_ - seq <= kWaitsFor && !settled(seq, give_up)) continue;
    const Found found = read(seq, record, frames);
    if (found == Found::kRecord) append();
    if (found == Found::kNotYet) missing.push_back(seq);
  }
  const std::size_t in_order = result.size();
  for (give_up = Clock::now() + kKeepersPatience; !missing.empty();) {
    std::erase_if(missing, [&](std::uint64_t seq) {
      const Found found = read(seq, record, frames);
      if (found == Found::kRecord) append();
      return found != Found::kNotYet;
    });
    if (missing.empty() || !kept_ || Clock::now() >= give_up) break;
    std::this_thread::yield();
  }
  if (result.size() != in_order) result.sort();
  result.set_overtaken(static_cast<std::int64_t>(missing.size()));
  result.keep_newest(ring_.records_);
  return result;
}

}  // namespace ddm
