#include "allocations/store/ring_snapshot.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace ddm {
namespace {

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

KeptRecords::Found RingSnapshot::read(std::uint64_t seq, AllocRecord& record,
                                      std::span<Frame> frames) const {
  using Found = KeptRecords::Found;
  const RingSlot slot = ring_.slot(seq);
  if (slot.read(seq, record, frames)) return Found::kRecord;
  if (slot.state_for(seq) != SlotState::kNewer) return Found::kNone;
  return ring_.kept_.read(seq, record, frames);
}

RecordSet RingSnapshot::records() const {
  using Found = KeptRecords::Found;
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
