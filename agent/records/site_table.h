// What was allocated at each site, a class and a stack, since tracking began. One thread at a time.
//
// The first class of a stack is found by the stack's number alone; that is nearly all of them. The
// others, and classes whose stack found no room, are found by both, and there is a bound for them
// too: beyond it a class is counted as a whole, and beyond that as unknown. Nothing is lost.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "records/reserved_array.h"
#include "records/traces.h"

namespace ddm {

// One allocation, or a sample of more.
struct SiteEntry {  // nothing is set when made: journals are full of them
  NameId class_id;
  TraceNumber trace;  // kNoTrace: the class is all that is known
  std::int64_t size;
  double weight;  // allocations that it stands for
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
  static constexpr std::uint32_t kMostOthers = 65536;

  // `most`: traces, as in Traces.
  explicit SiteTable(std::uint32_t most)
      : first_other_(std::size_t{most} + kEmptyTrace + 1), sums_(first_other_ + kMostOthers) {}

  bool good() const { return sums_.good(); }

  void add(const SiteEntry& one) {
    SiteSum& first = sums_[one.trace];
    if (first.class_id == one.class_id && first.trace == one.trace) [[likely]] {
      first.add(one);
    } else {
      other(one.class_id, one.trace).add(one);
    }
  }
  // To be added soon.
  void prefetch(const SiteEntry& one) const { __builtin_prefetch(&sums_[one.trace]); }

  // All that are not zero. `traces`: how many there are.
  std::vector<SiteSum> read(std::uint32_t traces) const;
  void add_names(NamesInUse& used, std::uint32_t traces) const;

 private:
  SiteSum& other(NameId class_id, TraceNumber trace);

  const std::size_t first_other_;
  ReservedArray<SiteSum> sums_;  // by trace, [kNoTrace] the unknown class; then others_
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
};

}  // namespace ddm
