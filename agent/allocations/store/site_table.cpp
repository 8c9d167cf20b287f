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
  if (2 * (std::size_t{used_} + 1) > mask_) widen();
  put(++used_, class_id, trace);
  sums_[used_] = {class_id, trace, 0, 0};
  return used_;
}

void SiteTable::widen() {
  std::fill_n(&slots_[0], mask_ + 1, Slot{0});
  mask_ = std::min(4 * (mask_ + 1), slots_.size()) - 1;
  for (SiteNumber site = 1; site <= used_; ++site) {
    put(site, sums_[site].class_id, sums_[site].trace);
  }
}

}  // namespace ddm
