#include "allocations/store/site_table.h"

namespace ddm {

SiteNumber SiteTable::insert(NameId class_id, TraceNumber trace) {
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

}  // namespace ddm
