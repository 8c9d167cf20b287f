// The allocations at each site, a class and a stack, since tracking began. One thread at a time.
//
// Sites are numbered from 1 in order of appearance. The first class of a stack, which is nearly
// every site, is found by the stack's number alone. Further classes, and classes whose stack had no
// room, are found by both numbers, and are bounded, too: beyond the bound an allocation is counted
// by class, and beyond that as unknown. Nothing is lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocations/store/live_history.h"
#include "allocations/store/live_store.h"
#include "allocations/store/live_sum.h"
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

// Additional data for a reader if objects are followed.
struct LiveReading {
  std::int64_t now_ms = 0;  // since following began
  std::vector<LiveHistory::Moment> history;
  std::optional<std::uint64_t> gc;  // the collection as of which figures are; nullopt: not followed
  std::vector<std::pair<std::uint64_t, AgeSum>> ages;  // by SiteSum::key()
};

// A site as a reader gets it.
struct SiteReading {
  SiteSum sum;
  LiveSum live;  // all zero unless objects are followed
};

class SiteTable {
 public:
  static constexpr std::uint32_t kMostOthers = 65536;
  static constexpr std::uint32_t kMost = std::uint32_t{1} << LiveStore::kSiteBits;

  // `traces`: upper bound of stack numbers.
  explicit SiteTable(std::uint32_t traces)
      : most_firsts_(std::min(traces, kMost - kMostOthers - 1)),
        firsts_(traces),
        sums_(std::size_t{most_firsts_} + kMostOthers + 1, ReservedArray<SiteSum>::Pages::kHuge) {}

  bool good() const { return firsts_.good() && sums_.good(); }

  SiteNumber add(const SiteEntry& one) {
    SiteNumber site = firsts_[one.trace];
    if (site == kUnknown || sums_[site].class_id != one.class_id) [[unlikely]] {
      site = other(one.class_id, one.trace);
    }
    sums_[site].add(one);
    return site;
  }
  const SiteSum& operator[](SiteNumber site) const { return sums_[site]; }
  // Upper bound of site numbers.
  std::size_t size() const { return sums_.size(); }
  // Prefetches for add(); prefetch_first() follows, once this has arrived: for the first site of
  // its stack.
  void prefetch(const SiteEntry& one) const { __builtin_prefetch(&firsts_[one.trace]); }
  SiteNumber prefetch_first(const SiteEntry& one) const {
    const SiteNumber site = firsts_[one.trace];
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

  SiteNumber other(NameId class_id, TraceNumber trace);

  const std::uint32_t most_firsts_;
  std::uint32_t used_ = 0, first_count_ = 0;
  ReservedArray<SiteNumber> firsts_;  // by trace
  ReservedArray<SiteSum> sums_;
  std::unordered_map<std::uint64_t, SiteNumber> others_;
};

}  // namespace ddm
