#include "native/malloc/sample_table.h"

#include <algorithm>

namespace ddm {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

std::unique_ptr<SampleTable> SampleTable::create(std::uint32_t records) {
  std::unique_ptr<SampleTable> table(new SampleTable(records));
  if (!table->entries_.good() || !table->slots_.good()) return nullptr;
  return table;
}

bool SampleTable::add(const void* address, const AllocationSample& sample) noexcept {
  // Left from a block that was freed without a hook.
  if (may_hold(address)) {
    if (const Record stale = take(address); stale != kNone) drop(stale);
  }
  const Record record = pop_free();
  if (record != kNone) {
    Entry& entry = entries_[record];
    entry.version.fetch_add(1, std::memory_order_acq_rel);
    auto word = entry.words.begin();
    const auto put = [&](std::uint64_t value) { (word++)->store(value, kRelaxed); };
    put(sample.bytes);
    put(sample.native_frames | std::uint64_t{sample.java_frames} << 32);
    for (std::uint32_t i = 0; i < sample.native_frames; ++i) put(sample.native[i]);
    for (std::uint32_t i = 0; i < sample.java_frames; ++i) {
      put(sample.java[i].method);
      put(static_cast<std::uint64_t>(sample.java[i].bci));
    }
    entry.version.fetch_add(1, std::memory_order_release);
    if (insert(address, record)) return true;
    drop(record);
  }
  dropped_.fetch_add(1, kRelaxed);
  return false;
}

bool SampleTable::insert(const void* address, Record record) noexcept {
  const std::uint64_t key = hash(address);
  // First, since clear() may take what is in a slot at once and counts down.
  count_in_filter(key, true);
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    std::uint64_t expected = kEmpty;
    if (slot(key, probe)
            .compare_exchange_strong(expected, slot_of(address, record), std::memory_order_release,
                                     kRelaxed)) {
      return true;
    }
  }
  count_in_filter(key, false);
  return false;
}

SampleTable::Record SampleTable::take(const void* address) noexcept {
  if (address == nullptr) return kNone;  // free(NULL), which must not match an empty slot
  const std::uint64_t key = hash(address);
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    Slot& candidate = slot(key, probe);
    std::uint64_t found = candidate.load(std::memory_order_acquire);
    const Record record = record_of(found);
    if (found == kEmpty || found != slot_of(address, record) ||
        !candidate.compare_exchange_strong(found, kEmpty, std::memory_order_acq_rel, kRelaxed)) {
      continue;
    }
    count_in_filter(key, false);
    return record;
  }
  return kNone;
}

void SampleTable::put_back(const void* address, Record record) noexcept {
  if (insert(address, record)) return;
  drop(record);
  dropped_.fetch_add(1, kRelaxed);
}

// A saturated counter stays saturated, since its count is lost.
void SampleTable::count_in_filter(std::uint64_t hash, bool up) noexcept {
  std::atomic<std::uint8_t>& counter = filter_[filter_index(hash)];
  std::uint8_t now = counter.load(kRelaxed);
  while (now != 255) {
    const auto next = static_cast<std::uint8_t>(up ? now + 1 : now - 1);
    if (counter.compare_exchange_weak(now, next, kRelaxed)) return;
  }
}

SampleTable::Record SampleTable::pop_free() noexcept {
  std::uint64_t head = free_list_.load(std::memory_order_acquire);
  while (static_cast<Record>(head) != kNone) {
    const std::uint32_t next = entries_[static_cast<Record>(head)].next_free.load(kRelaxed);
    const std::uint64_t changed = ((head >> 32) + 1) << 32 | next;
    if (free_list_.compare_exchange_weak(head, changed, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      return static_cast<Record>(head);
    }
  }
  std::uint32_t fresh = fresh_.load(kRelaxed);
  while (fresh <= records_) {
    if (fresh_.compare_exchange_weak(fresh, fresh + 1, kRelaxed)) return fresh;
  }
  return kNone;
}

void SampleTable::drop(Record record) noexcept {
  std::uint64_t head = free_list_.load(kRelaxed);
  for (;;) {
    entries_[record].next_free.store(static_cast<std::uint32_t>(head), kRelaxed);
    const std::uint64_t changed = ((head >> 32) + 1) << 32 | record;
    if (free_list_.compare_exchange_weak(head, changed, std::memory_order_acq_rel, kRelaxed))
      return;
  }
}

bool SampleTable::read(Record record, AllocationSample* sample) const {
  const Entry& entry = entries_[record];
  const std::uint32_t version = entry.version.load(std::memory_order_acquire);
  if (version % 2 != 0) return false;
  auto word = entry.words.begin();
  const auto get = [&] { return (word++)->load(std::memory_order_acquire); };
  sample->bytes = get();
  const std::uint64_t counts = get();
  sample->native_frames =
      std::min<std::uint32_t>(static_cast<std::uint32_t>(counts), kMaxNativeFrames);
  sample->java_frames =
      std::min<std::uint32_t>(static_cast<std::uint32_t>(counts >> 32), kMaxJavaFrames);
  for (std::uint32_t i = 0; i < sample->native_frames; ++i) sample->native[i] = get();
  for (std::uint32_t i = 0; i < sample->java_frames; ++i) {
    sample->java[i].method = get();
    sample->java[i].bci = static_cast<std::int64_t>(get());
  }
  return entry.version.load(kRelaxed) == version;
}

void SampleTable::clear() noexcept {
  for (std::uint64_t i = 0; i <= slot_mask_; ++i) {
    const std::uint64_t slot = slots_[i].load(std::memory_order_acquire);
    if (slot == kEmpty) continue;
    const auto* const address =
        reinterpret_cast<const void*>(slot >> kRecordBits << 3);  // NOLINT: it was one
    if (const Record record = take(address); record != kNone) drop(record);
  }
  dropped_.store(0, std::memory_order_relaxed);
}

std::vector<AllocationSample> SampleTable::snapshot() const {
  std::vector<AllocationSample> samples;
  for (std::uint64_t i = 0; i <= slot_mask_; ++i) {
    const std::uint64_t found = slots_[i].load(std::memory_order_acquire);
    if (found == kEmpty) continue;
    AllocationSample sample;
    // Freed while it was read: not live.
    if (read(record_of(found), &sample) && slots_[i].load(std::memory_order_acquire) == found) {
      samples.push_back(sample);
    }
  }
  return samples;
}

}  // namespace ddm
