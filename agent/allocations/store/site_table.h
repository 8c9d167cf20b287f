// The allocations at each site, a class and a stack, since tracking began. One thread at a time.
//
// Sites are numbered from 1 in order of appearance, and found by a hash table that grows with them.
// Their number is bounded: beyond the bound an allocation is counted by class, and beyond a bound
// of these as unknown. Nothing is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "allocations/store/live_store.h"
#include "core/prefetch.h"
#include "core/reserved_array.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// One allocation, or a sample that represents more.
struct SiteEntry {
  SiteEntry() {}  // uninitialized: journals contain many
  SiteEntry(NameId class_of, TraceNumber from, std::int64_t bytes, double stands_for,
            std::uint64_t weak_handle = 0, std::uint32_t born_at = 0, std::uint64_t gc = 0)
      : class_id(class_of),
        trace(from),
        size(bytes),
        weight(stands_for),
        handle(weak_handle),
        born(born_at),
        born_gc(BirthGc::of(gc)) {}

  NameId class_id;
  TraceNumber trace;  // kNoTrace: only the class is known
  std::int64_t size;
  double weight;         // number of allocations that it represents
  std::uint64_t handle;  // 0: not followed
  std::uint32_t born;    // BirthTime; 0: not eligible for following
  BirthGc::Number born_gc;
};

struct SiteSum {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  double count = 0;
  double bytes = 0;  // exact up to 2^53

  void add(const SiteEntry& one) {
    count += one.weight;
    bytes += one.weight * static_cast<double>(one.size);
  }
  static std::uint64_t key_of(NameId class_id, TraceNumber trace) {
    return std::uint64_t{trace} << 32 | class_id;
  }
  std::uint64_t key() const { return key_of(class_id, trace); }
};

class SiteTable {
 public:
  static constexpr std::uint32_t kMostClasses = 65536;  // sites that are a class without a stack
  static constexpr std::uint32_t kMost = std::uint32_t{1} << LiveStore::kSiteBits;

  // `most`: how many sites with a stack there may be.
  explicit SiteTable(std::uint32_t most)
      : most_with_stack_(std::min(most, kMost - kMostClasses - 1)),
        sums_(std::size_t{most_with_stack_} + kMostClasses + 1,
              ReservedArray<SiteSum>::Pages::kHuge),
        slots_(std::bit_ceil(2 * sums_.size())) {}

  bool good() const { return sums_.good() && slots_.good(); }

  SiteNumber add(const SiteEntry& one) {
    SiteNumber site = find(one.class_id, one.trace);
    if (site == kUnknown) [[unlikely]]
      site = insert(one.class_id, one.trace);
    sums_[site].add(one);
    return site;
  }
  const SiteSum& operator[](SiteNumber site) const { return sums_[site]; }
  // Upper bound of site numbers.
  std::size_t size() const { return sums_.size(); }
  // Prefetches for add(); prefetch_sum() follows, once this has arrived, and returns the site that
  // the allocation is probably at.
  void prefetch(const SiteEntry& one) const {
    __builtin_prefetch(&slots_[place_of(one.class_id, one.trace) & mask_]);
  }
  SiteNumber prefetch_sum(const SiteEntry& one) const {
    const SiteNumber site = slots_[place_of(one.class_id, one.trace) & mask_] & kSite;
    prefetch_to_write(&sums_[site]);
    return site;
  }

  // Calls use(number, sum) for all sites that are not zero.
  template <typename Use>
  void for_each(Use use) const {
    for (SiteNumber site = 0; site <= used_; ++site) {
      if (sums_[site].count != 0) use(site, sums_[site]);
    }
  }

 private:
  static constexpr SiteNumber kUnknown = 0;  // unknown class, no stack
  // A slot: the site's number, and bits of the hash as a filter.
  using Slot = std::uint32_t;
  static constexpr Slot kSite = kMost - 1;
  static constexpr std::size_t kFirstSlots = 4096;

  // Stacks with neighbouring numbers are often used together: 16 of them share a cache line.
  static std::size_t place_of(NameId class_id, TraceNumber trace) {
    return (hash_of(class_id, trace / 16) >> 36) * 16 + trace % 16;
  }
  static Slot filter_of(NameId class_id, TraceNumber trace) {
    return static_cast<Slot>(hash_of(class_id, trace) >> 32) & ~kSite;
  }
  static std::uint64_t hash_of(NameId class_id, TraceNumber trace) {
    return SiteSum::key_of(class_id, trace) * 0x9E3779B97F4A7C15ull;
  }
  // The slot that has the site, or the empty one where it would be inserted.
  std::size_t slot_of(NameId class_id, TraceNumber trace) const {
    const Slot filter = filter_of(class_id, trace);
    for (std::size_t i = place_of(class_id, trace) & mask_;; i = (i + 1) & mask_) {
      const Slot there = slots_[i];
      if (there == 0) return i;
      const SiteSum& sum = sums_[there & kSite];
      if ((there & ~kSite) == filter && sum.class_id == class_id && sum.trace == trace) {
        return i;
      }
    }
  }
  // kUnknown: there is none.
  SiteNumber find(NameId class_id, TraceNumber trace) const {
    return slots_[slot_of(class_id, trace)] & kSite;
  }
  void put(SiteNumber site, NameId class_id, TraceNumber trace) {
    slots_[slot_of(class_id, trace)] = site | filter_of(class_id, trace);
  }
  SiteNumber insert(NameId class_id, TraceNumber trace);
  void widen();

  const std::uint32_t most_with_stack_;
  std::uint32_t used_ = 0, with_stack_ = 0, classes_ = 0;
  ReservedArray<SiteSum> sums_;
  // By the site's hash. Only the first mask_ + 1 are in use, and half of these stay empty.
  ReservedArray<Slot> slots_;
  std::size_t mask_ = kFirstSlots - 1;
};

}  // namespace ddm
