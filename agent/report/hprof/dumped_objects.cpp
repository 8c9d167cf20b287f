#include "report/hprof/dumped_objects.h"

#include <algorithm>
#include <new>

namespace ddm {

void DumpedObjects::expect(std::size_t objects) noexcept {
  try {
    entries_.reserve(objects);
  } catch (const std::bad_alloc&) {  // std::vector grows on demand
  }
}

bool DumpedObjects::add(std::uint64_t handle, TraceNumber trace) noexcept {
  const std::uint64_t tag = handle & ((1u << kShift) - 1);
  if (entries_.empty()) tag_ = tag;
  if (!fits(handle) || tag != tag_ || trace >> kTraceBits != 0) return false;
  try {
    entries_.push_back(entry_of(handle, trace));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void DumpedObjects::seal_handles() {
  std::ranges::sort(entries_);
  const std::size_t groups = (entries_.size() + kGroup - 1) / kGroup;
  first_.resize(groups);
  named_.assign(groups, 0);
  for (std::size_t i = 0; i < groups; ++i) first_[i] = address_of(entries_[i * kGroup]);
}

bool DumpedObjects::name(std::uint64_t handle, std::uint64_t object) {
  handle = handle >> kShift << kShift;
  const auto after = std::upper_bound(first_.begin(), first_.end(), handle);
  if (after == first_.begin()) return false;
  const auto group = static_cast<std::size_t>(after - first_.begin() - 1);
  const std::size_t end = std::min(entries_.size(), (group + 1) * kGroup);
  for (std::size_t i = group * kGroup; i < end; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i % kGroup;
    if ((named_[group] & bit) != 0 || address_of(entries_[i]) != handle) continue;
    if (!fits(object)) return true;  // the object has no entry
    entries_[i] = entry_of(object, trace_of_entry(entries_[i]));
    named_[group] |= bit;
    return true;
  }
  return false;
}

void DumpedObjects::seal_objects() {
  std::size_t to = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool named = (named_[i / kGroup] >> i % kGroup & 1) != 0;
    if (named) entries_[to++] = entries_[i];
  }
  entries_.resize(to);
  first_ = {};
  named_ = {};
  std::ranges::sort(entries_);
}

TraceNumber DumpedObjects::trace_of(std::uint64_t object) const {
  if (!fits(object)) return kNoTrace;
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), entry_of(object, 0));
  return at != entries_.end() && address_of(*at) == object ? trace_of_entry(*at) : kNoTrace;
}

}  // namespace ddm
