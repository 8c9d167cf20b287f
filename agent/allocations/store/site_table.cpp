#include "allocations/store/site_table.h"

#include <new>

namespace ddm {

SiteNumber SiteTable::other(NameId class_id, TraceNumber trace) {
  const auto new_site = [&] {
    sums_[++used_] = {class_id, trace, 0, 0};
    return used_;
  };
  if (trace != kNoTrace && firsts_[trace] == kUnknown && first_count_ < most_firsts_) {
    ++first_count_;
    return firsts_[trace] = new_site();
  }
  const std::uint64_t key = SiteSum::key_of(class_id, trace);
  if (const auto known = others_.find(key); known != others_.end()) return known->second;
  if (class_id == kUnknownName && trace == kNoTrace) return kUnknown;
  if (others_.size() < kMostOthers) {
    try {
      SiteNumber& site = others_[key];
      return site = new_site();
    } catch (const std::bad_alloc&) {  // as if the table were full
    }
  }
  return trace != kNoTrace ? other(class_id, kNoTrace) : kUnknown;
}

}  // namespace ddm
