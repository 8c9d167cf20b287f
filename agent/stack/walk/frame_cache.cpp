#include "stack/walk/frame_cache.h"

namespace ddm {

FrameCache::FrameCache(const std::atomic<std::uint32_t>& generation, Alive alive)
    : generation_(generation), alive_(alive), slots_(kSlots, ReservedArray<Slot>::Pages::kHuge) {}

void FrameCache::insert(VmAddress place, unsigned part, Identity identity, const Entry& entry,
                        std::uint32_t generation) {
  if (!slots_.good() || part >= kParts || entry.count > kFramesOfPart) return;
  const std::uint64_t key = key_of(place, part);
  const std::size_t first = first_slot(key);
  const auto holds = [&](std::size_t at, std::uint64_t wanted) {
    return slots_[at].key.load(std::memory_order_relaxed) == wanted;
  };
  // The slot that has the key, else an empty one, else the first, whose entry is evicted.
  std::size_t at = first;
  if (!holds(first, key) && (holds(first ^ 1, key) || (!holds(first, 0) && holds(first ^ 1, 0)))) {
    at = first ^ 1;
  }
  Slot& slot = slots_[at];
  std::uint32_t sequence = slot.sequence.load(std::memory_order_relaxed);
  if (sequence % 2 != 0 ||
      !slot.sequence.compare_exchange_strong(sequence, sequence + 1, std::memory_order_acq_rel)) {
    return;
  }
  // Release on every store orders it after the odd sequence number.
  slot.key.store(key, std::memory_order_release);
  slot.shape.store(static_cast<std::uint32_t>(entry.kind) | (entry.more ? 1u << 8 : 0u) |
                       static_cast<std::uint32_t>(entry.count) << 16,
                   std::memory_order_release);
  slot.identity_at.store(identity.at, std::memory_order_release);
  slot.identity.store(identity.value, std::memory_order_release);
  slot.bytes.store(entry.bytes, std::memory_order_release);
  slot.generation.store(generation, std::memory_order_release);
  for (std::size_t i = 0; i < entry.count; ++i) {
    slot.frames[i].store(entry.frames[i].bits(), std::memory_order_release);
  }
  slot.sequence.store(sequence + 2, std::memory_order_release);
}

}  // namespace ddm
