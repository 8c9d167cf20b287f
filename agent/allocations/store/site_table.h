// The allocations at each site, a class and a stack, since tracking began. One thread at a time.
//
// Sites are numbered from 1 in order of appearance, and found by a hash table (NumberIndex).
// Their number is bounded: beyond the bound an allocation is counted by class, and beyond a bound
// of these as unknown. Nothing is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "allocations/store/live_store.h"
#include "allocations/store/site_entry.h"
#include "core/number_index.h"
#include "core/prefetch.h"
#include "core/reserved_array.h"
#include "stack/tree/call_tree.h"

namespace ddm {

class SiteTable {
 public:
  static constexpr std::uint32_t kMostClasses = 65536;  // sites that are a class without a stack
  static constexpr std::uint32_t kMost = std::uint32_t{1} << LiveStore::kSiteBits;
  static_assert(kMost - 1 == NumberIndex::kNumber);

  // `most`: how many sites with a stack there may be.
  explicit SiteTable(std::uint32_t most)
      : most_with_stack_(std::min(most, kMost - kMostClasses - 1)),
        sums_(std::size_t{most_with_stack_} + kMostClasses + 1,
              ReservedArray<SiteSum>::Pages::kHuge),
        index_(sums_.size()) {}

  bool good() const { return sums_.good() && index_.good(); }

  // Where add() counts the allocation. `likely`: of prefetch_sum().
  SiteNumber site_of(const SiteEntry& one, SiteNumber likely = kUnknown) {
    if (likely != kUnknown && is(likely, one.class_id, one.trace)) [[likely]]
      return likely;
    const SiteNumber site = find(one.class_id, one.trace);
    return site != kUnknown ? site : insert(one.class_id, one.trace);
  }
  void add(SiteNumber site, const SiteEntry& one) { sums_[site].add(one); }
  const SiteSum& operator[](SiteNumber site) const { return sums_[site]; }
  // Upper bound of site numbers.
  std::size_t size() const { return sums_.size(); }
  // Prefetches for site_of(); prefetch_sum() follows, once this has arrived, and returns the site that
  // the allocation is probably at.
  void prefetch(const SiteEntry& one) const { index_.prefetch(place_of(one.class_id, one.trace)); }
  SiteNumber prefetch_sum(const SiteEntry& one) const {
    const SiteNumber site = index_.likely(place_of(one.class_id, one.trace));
    prefetch_to_write(&sums_[site]);
    return site;
  }

  std::size_t used() const { return used_; }
  // Calls use(number, sum) for all sites that are not zero.
  template <typename Use>
  void for_each(Use use) const {
    for (SiteNumber site = 0; site <= used_; ++site) {
      if (sums_[site].count != 0) use(site, sums_[site]);
    }
  }

 private:
  static constexpr SiteNumber kUnknown = 0;  // unknown class, no stack

  // Stacks with neighbouring numbers are often used together: 16 of them share a cache line.
  static NumberIndex::Place place_of(NameId class_id, TraceNumber trace) {
    return {(hash_of(class_id, trace / 16) >> 36) * 16 + trace % 16,
            static_cast<std::uint32_t>(hash_of(class_id, trace) >> 32)};
  }
  static std::uint64_t hash_of(NameId class_id, TraceNumber trace) {
    return SiteSum::key_of(class_id, trace) * 0x9E3779B97F4A7C15ull;
  }
  // kUnknown: there is none.
  SiteNumber find(NameId class_id, TraceNumber trace) const {
    return index_.find(place_of(class_id, trace),
                       [&](SiteNumber site) { return is(site, class_id, trace); });
  }
  bool is(SiteNumber site, NameId class_id, TraceNumber trace) const {
    return sums_[site].class_id == class_id && sums_[site].trace == trace;
  }
  [[gnu::noinline]] SiteNumber insert(NameId class_id, TraceNumber trace) {
    if (trace == kNoTrace) {
      if (class_id == kUnknownName || classes_ == kMostClasses) return kUnknown;
      ++classes_;
    } else {
      if (with_stack_ == most_with_stack_) {
        const SiteNumber site = find(class_id, kNoTrace);
        return site != kUnknown ? site : insert(class_id, kNoTrace);
      }
      ++with_stack_;
    }
    sums_[++used_] = {class_id, trace, 0, 0};
    index_.add(used_,
               [&](SiteNumber site) { return place_of(sums_[site].class_id, sums_[site].trace); });
    return used_;
  }

  const std::uint32_t most_with_stack_;
  std::uint32_t used_ = 0, with_stack_ = 0, classes_ = 0;
  ReservedArray<SiteSum> sums_;
  NumberIndex index_;
};

}  // namespace ddm
