#include "allocations/store/site_times.h"

#include <algorithm>
#include <cmath>

namespace ddm {

void SiteTimes::poll(const SiteTable& sites, std::int64_t ms) {
  if (moments_.empty()) moments_.begin();
  while (static_cast<std::size_t>(ms / step_) >= kMostMoments) halve();
  const auto now = std::max(static_cast<std::size_t>(ms / step_), last_);
  // A poll at the end of a moment counts for the moment before it.
  const std::size_t last = now > last_ ? now - 1 : now;
  const std::size_t parts = last - last_ <= kMostLate ? last - last_ + 1 : 1;
  const std::span<const Share> grown = increments(sites);
  for (std::size_t part = 0; part < parts; ++part) {
    begin_moment(last - parts + 1 + part);
    for (const Share& share : grown) add_part(share, part, parts);
    ++polls_;
  }
  begin_moment(now);
  last_ = now;
  if (moments_.entries() <= kMostShares) return;
  moments_.merge_last();
  while (moments_.entries() > kMostShares && moments_.size() >= 2 * kFewestMoments) halve();
  if (moments_.entries() > kMostShares) drop_smallest(sites);
}

// The one before it is complete.
void SiteTimes::begin_moment(std::size_t moment) {
  while (moments_.size() <= moment) {
    if (polls_ > 1) moments_.merge_last();
    moments_.begin();
    polls_ = 0;
  }
}

std::span<const SiteTimes::Share> SiteTimes::increments(const SiteTable& sites) {
  std::size_t grown = 0;
  for (std::size_t i = 0; i < changes_; ++i) {
    const Share before = polled_[i];
    const SiteNumber site = before.site;
    const SiteSum& sum = sites[site];
    changed_[site / kWordBits] = 0;
    if (sum.bytes == before.bytes) continue;
    if (Rank{sum.bytes, site} < least_) {
      partly_[site] = true;
    } else {
      polled_[grown++] = {site, static_cast<float>(sum.count) - before.count,
                          sum.bytes - before.bytes};
    }
  }
  changes_ = 0;
  return {&polled_[0], grown};
}

// One of `parts` equal ones, in whole allocations.
void SiteTimes::add_part(const Share& share, std::size_t part, std::size_t parts) {
  const auto until = [&](std::size_t end) {
    if (end == parts) return share;
    Share sum{share.site};
    sum.count = static_cast<float>(
        std::floor(share.count * static_cast<double>(end) / static_cast<double>(parts)));
    if (share.count != 0) sum.bytes = std::floor(share.bytes * sum.count / share.count);
    return sum;
  };
  const Share begin = until(part), end = until(part + 1);
  const Share own{share.site, end.count - begin.count, end.bytes - begin.bytes};
  if (own.count != 0 || (part + 1 == parts && own.bytes != 0)) moments_.add(own);
}

void SiteTimes::halve() {
  moments_.halve();
  polls_ = 1;
  step_ *= 2;
  last_ /= 2;
}

// Leaves half of the limit free.
void SiteTimes::drop_smallest(const SiteTable& sites) {
  std::vector<Rank> ranks;
  ranks.reserve(moments_.entries());
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    for (const Share& share : moments_[i]) {
      ranks.push_back({sites[share.site].bytes, share.site});
    }
  }
  const auto least = ranks.end() - static_cast<std::ptrdiff_t>(kMostShares / 2);
  std::ranges::nth_element(ranks, least);
  least_ = *least;
  moments_.erase_if([&](const Share& share) {
    const bool dropped = Rank{sites[share.site].bytes, share.site} < least_;
    if (dropped) partly_[share.site] = true;
    return dropped;
  });
}

}  // namespace ddm
