#include "records/alloc_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace ddm {
namespace {

// Copied under one hold of the lock: about 40 KB, some 10 microseconds.
constexpr std::uint64_t kSnapshotBatch = 256;

constexpr std::size_t slot_bytes(std::uint32_t depth) {
  return sizeof(AllocRecord) + depth * sizeof(Frame);
}

}  // namespace

std::unique_ptr<AllocRing> AllocRing::create(std::uint32_t records, std::uint32_t depth) {
  if (records < 1 || records > kMaxRecords || depth < 1 || depth > kMaxDepth) return nullptr;
  const std::size_t bytes = records * slot_bytes(depth);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return std::unique_ptr<AllocRing>(
      new AllocRing(static_cast<std::byte*>(memory), bytes, records, depth));
}

AllocRing::AllocRing(std::byte* memory, std::size_t bytes, std::uint32_t records,
                     std::uint32_t depth)
    : memory_(memory),
      bytes_(bytes),
      records_(records),
      depth_(depth),
      stride_(slot_bytes(depth)) {}

AllocRing::~AllocRing() { munmap(memory_, bytes_); }

std::byte* AllocRing::slot(std::uint64_t seq) const { return memory_ + seq % records_ * stride_; }

void AllocRing::push(const AllocRecord& record, std::span<const Frame> frames) {
  AllocRecord stored = record;
  stored.frame_count = static_cast<std::uint16_t>(std::min<std::size_t>(frames.size(), depth_));
  if (frames.size() > depth_) stored.flags |= kStackTruncated;

  const std::lock_guard lock(mutex_);
  stored.seq = next_seq_++;
  std::byte* to = slot(stored.seq);
  std::memcpy(to, &stored, sizeof stored);
  std::copy_n(frames.begin(), stored.frame_count, reinterpret_cast<Frame*>(to + sizeof stored));
}

RecordSet AllocRing::snapshot() const {
  std::uint64_t end, from;
  {
    const std::lock_guard lock(mutex_);
    end = next_seq_;
    from = std::max(first_seq_, end > records_ ? end - records_ : 1);
  }
  // Oldest first, to stay ahead of the writers; what they overtake is skipped, so that the result
  // stays an unbroken run.
  std::vector<std::byte> copy((end - from) * stride_);
  std::uint64_t at = from;
  std::uint64_t oldest_intact = from;
  while (at < end) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t oldest = next_seq_ > records_ ? next_seq_ - records_ : 1;
    if (oldest > at) {
      at = std::min(oldest, end);
      oldest_intact = at;
    }
    const std::uint64_t batch_end = std::min(end, at + kSnapshotBatch);
    for (; at < batch_end; ++at) {
      std::memcpy(copy.data() + (at - from) * stride_, slot(at), stride_);
    }
  }

  RecordSet result;
  result.reserve(end - oldest_intact, (end - oldest_intact) * depth_);
  std::vector<Frame> frames(depth_);
  for (at = oldest_intact; at < end; ++at) {
    const std::byte* in = copy.data() + (at - from) * stride_;
    AllocRecord record;
    std::memcpy(&record, in, sizeof record);
    std::memcpy(frames.data(), in + sizeof record, record.frame_count * sizeof(Frame));
    result.append_newer(record, std::span(frames).first(record.frame_count));
  }
  return result;
}

void AllocRing::clear() {
  const std::lock_guard lock(mutex_);
  first_seq_ = next_seq_;
}

std::uint64_t AllocRing::pushed() const {
  const std::lock_guard lock(mutex_);
  return next_seq_ - 1;
}

}  // namespace ddm
