// What was allocated at each site, a class and a stack, since tracking began. One thread at a time.
//
// The first class of a stack is found by the stack's number alone; that is nearly all of them. The
// others, and classes whose stack found no room, are found by both, and there is a bound for them
// too: beyond it a class is counted as a whole, and beyond that as unknown. Nothing is lost.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "allocations/store/live_store.h"
#include "allocations/store/live_sum.h"
#include "core/prefetch.h"
#include "core/reserved_array.h"
#include "stack/traces/traces.h"

namespace ddm {

// One allocation, or a sample of more.
struct SiteEntry {
  SiteEntry() {}  // as it is: journals are full of them
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
  TraceNumber trace;  // kNoTrace: the class is all that is known
  std::int64_t size;
  double weight;         // allocations that it stands for
  std::uint64_t handle;  // 0: not followed
  std::uint32_t born;    // BirthTime; 0: it could not have been followed
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

// What happened at sites between a moment and the one before: LiveHistory, by names.
struct SiteChange {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  double seen_bytes = 0, dead_bytes = 0;
};
struct SiteMoment {
  std::int64_t ms = 0;  // since following began
  std::vector<SiteChange> changes;
};

// LiveTable's ages, by names.
struct SiteAges {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  AgeSum sum;
};

// As a reader gets it.
struct SiteReading {
  SiteSum sum;
  LiveSum live;  // all zero unless objects are followed
};

class SiteTable {
 public:
  static constexpr std::uint32_t kMostOthers = 65536;

  // `most`: traces, as in Traces.
  explicit SiteTable(std::uint32_t most)
      : first_other_(std::size_t{most} + kEmptyTrace + 1),
        sums_(first_other_ + kMostOthers, ReservedArray<SiteSum>::Pages::kHuge) {}

  bool good() const { return sums_.good(); }

  SiteNumber add(const SiteEntry& one) {
    SiteSum& first = sums_[one.trace];
    if (first.class_id == one.class_id && first.trace == one.trace) [[likely]] {
      first.add(one);
      return one.trace;
    }
    SiteSum& sum = other(one.class_id, one.trace);
    sum.add(one);
    return static_cast<SiteNumber>(&sum - &sums_[0]);
  }
  const SiteSum& operator[](SiteNumber site) const { return sums_[site]; }
  // Numbers of sites are below.
  std::size_t size() const { return sums_.size(); }
  // To be added soon.
  void prefetch(const SiteEntry& one) const { prefetch_to_write(&sums_[one.trace]); }

  // use(number, sum) for all that are not zero. `traces`: how many there are.
  template <typename Use>
  void for_each(std::uint32_t traces, Use use) const {
    const auto visit = [&](std::size_t from, std::size_t end) {
      for (std::size_t i = from; i < end; ++i) {
        if (sums_[i].count != 0) use(static_cast<SiteNumber>(i), sums_[i]);
      }
    };
    visit(kNoTrace, kEmptyTrace + 1 + std::size_t{traces});
    visit(first_other_, first_other_ + others_.size());
  }
  void add_names(NamesInUse& used, std::uint32_t traces) const;

 private:
  SiteSum& other(NameId class_id, TraceNumber trace);

  const std::size_t first_other_;
  ReservedArray<SiteSum> sums_;  // by trace, [kNoTrace] the unknown class; then others_
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
};

}  // namespace ddm
