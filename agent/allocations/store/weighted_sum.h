// Sums of what records represent. Samples represent fractions of allocations, so a sum is rounded
// once, at the end; without samples nothing is rounded (exact up to 2^53 bytes).
#pragma once

#include <cmath>
#include <cstdint>

#include "allocations/store/alloc_record.h"

namespace ddm {

class WeightedSum {
 public:
  void add(const AllocRecord& record) {
    bytes_ += record.weighted_bytes();
    count_ += double{record.weight};
  }

  std::int64_t bytes() const { return std::llround(bytes_); }
  std::int64_t count() const { return std::llround(count_); }

 private:
  double bytes_ = 0;
  double count_ = 0;
};

}  // namespace ddm
