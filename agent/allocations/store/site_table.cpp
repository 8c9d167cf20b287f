#include "allocations/store/site_table.h"

#include <new>

namespace ddm {

SiteSum& SiteTable::other(NameId class_id, TraceNumber trace) {
  if (trace != kNoTrace && sums_[trace].trace == kNoTrace) {
    sums_[trace] = {class_id, trace, 0, 0};
    return sums_[trace];
  }
  const std::uint64_t key = SiteSum::key_of(class_id, trace);
  if (const auto known = others_.find(key); known != others_.end()) return sums_[known->second];
  if (class_id == kUnknownName && trace == kNoTrace) return sums_[kNoTrace];
  if (others_.size() < kMostOthers) {
    const auto at = static_cast<std::uint32_t>(first_other_ + others_.size());
    try {
      others_.emplace(key, at);
      sums_[at] = {class_id, trace, 0, 0};
      return sums_[at];
    } catch (const std::bad_alloc&) {  // then as if there were no more places
    }
  }
  return trace != kNoTrace ? other(class_id, kNoTrace) : sums_[kNoTrace];
}

void SiteTable::add_names(NamesInUse& used, std::uint32_t traces) const {
  for_each(traces, [&](SiteNumber, const SiteSum& sum) { used.classes.insert(sum.class_id); });
}

}  // namespace ddm
