#include "records/site_set.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ddm {

SiteSet::SiteSet(std::shared_ptr<const Sites> sites, std::vector<SiteSum> sums,
                 const std::vector<SiteEntry>& more, std::int64_t count, std::int64_t bytes)
    : sites_(std::move(sites)) {
  std::unordered_map<std::uint64_t, SiteSum> late;
  double unplaced = 0;
  for (const SiteSum& sum : sums) unplaced += sum.trace == kNoTrace ? sum.count : 0;
  for (const SiteEntry& one : more) {
    if (one.trace == kNoTrace) unplaced += one.weight;
    SiteSum& sum = late[SiteSum::key_of(one.class_id, one.trace)];
    sum.class_id = one.class_id;
    sum.trace = one.trace;
    sum.add(one);
  }
  // Without a stack is without a stack, whatever the reason.
  std::unordered_map<NameId, SiteSum> without;
  const auto take = [&](SiteSum sum) {
    if (sum.trace <= kEmptyTrace) {
      SiteSum& all = without[sum.class_id];
      all.class_id = sum.class_id;
      all.count += sum.count;
      all.bytes += sum.bytes;
    } else {
      list_.push_back({sum.class_id, sum.trace, std::llround(sum.count), std::llround(sum.bytes)});
    }
  };
  list_.reserve(sums.size() + late.size());
  for (SiteSum& sum : sums) {
    if (const auto found = late.find(sum.key()); found != late.end()) {
      sum.count += found->second.count;
      sum.bytes += found->second.bytes;
      late.erase(found);
    }
    take(sum);
  }
  for (const auto& [key, sum] : late) take(sum);
  for (const auto& [id, sum] : without) {
    list_.push_back({id, kEmptyTrace, std::llround(sum.count), std::llround(sum.bytes)});
  }
  unplaced_ = std::llround(unplaced);
  sort();
  for (const Site& site : list_) {
    if (sites_->traces().shortened(site.trace)) shortened_ += site.count;
  }
  if (list_.empty()) return;
  for (const Site& site : list_) {
    count -= site.count;
    bytes -= site.bytes;
  }
  list_.front().count += count;
  list_.front().bytes += bytes;
}

void SiteSet::sort() {
  const auto identity = [](const Site& site) {
    return std::tuple(-site.bytes, -site.count, site.class_id, site.trace);
  };
  std::sort(list_.begin(), list_.end(),
            [&](const Site& a, const Site& b) { return identity(a) < identity(b); });
}

SiteSet SiteSet::folded(std::size_t frames) const {
  SiteSet result;
  result.sites_ = sites_;
  result.unplaced_ = unplaced_;
  result.shortened_ = shortened_;
  std::map<std::tuple<NameId, NameId, std::int32_t>, Site> others;
  Room room;
  for (const Site& site : list_) {
    const auto stack = this->frames(site, room);
    if (stack.size() <= frames) {
      frames -= stack.size();
      result.list_.push_back(site);
      continue;
    }
    frames = 0;
    Site& sum = others[{site.class_id, stack[0].method, stack[0].bci}];
    sum.class_id = site.class_id;
    sum.trace = site.trace;
    sum.kept = 1;
    sum.count += site.count;
    sum.bytes += site.bytes;
  }
  for (const auto& [key, site] : others) result.list_.push_back(site);
  result.sort();
  return result;
}

}  // namespace ddm
