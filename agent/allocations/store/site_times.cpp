#include "allocations/store/site_times.h"

#include <algorithm>
#include <cmath>

namespace ddm {

void SiteTimes::poll(const SiteTable& sites, std::int64_t ms) {
  if (!polled_) {
    polled_.emplace(sites.size());
    partly_.resize(sites.size());
    moments_.begin();
  }
  if (!polled_->good()) return;  // no memory: times stay unknown
  while (static_cast<std::size_t>(ms / step_) >= kMostMoments) halve();
  const auto now = std::max(static_cast<std::size_t>(ms / step_), last_);
  // A poll at the end of a moment counts for the moment before it.
  const std::size_t last = now > last_ ? now - 1 : now;
  const std::size_t parts = last - last_ <= kMostLate ? last - last_ + 1 : 1;
  const auto grown = increments(sites);
  for (std::size_t part = 0; part < parts; ++part) {
    begin_moment(last - parts + 1 + part);
    for (const Share& share : grown) add_part(share, part, parts);
  }
  begin_moment(now);
  last_ = now;
  if (moments_.entries() <= kMostShares) return;
  moments_.merge_last();
  while (moments_.entries() > kMostShares && moments_.size() >= 2 * kFewestMoments) halve();
  if (moments_.entries() > kMostShares) drop_smallest();
}

// The one before it is complete.
void SiteTimes::begin_moment(std::size_t moment) {
  while (moments_.size() <= moment) {
    moments_.merge_last();
    moments_.begin();
  }
}

SiteTimes::Shares SiteTimes::increments(const SiteTable& sites) {
  Shares grown;
  sites.for_each([&](SiteNumber site, const SiteSum& sum) {
    double& bytes = polled_->bytes[site];
    float& count = polled_->counts[site];
    if (sum.bytes == bytes) return;
    const auto count_now = static_cast<float>(sum.count);
    if (Rank{sum.bytes, site} < least_) {
      partly_[site] = true;
    } else {
      grown.push_back({site, count_now - count, sum.bytes - bytes});
    }
    bytes = sum.bytes;
    count = count_now;
  });
  return grown;
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
  step_ *= 2;
  last_ /= 2;
}

// Leaves half of the limit free.
void SiteTimes::drop_smallest() {
  std::vector<Rank> ranks;
  ranks.reserve(moments_.entries());
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    for (const Share& share : moments_[i]) {
      ranks.push_back({polled_->bytes[share.site], share.site});
    }
  }
  const auto least = ranks.end() - static_cast<std::ptrdiff_t>(kMostShares / 2);
  std::ranges::nth_element(ranks, least);
  least_ = *least;
  moments_.erase_if([&](const Share& share) {
    const bool dropped = Rank{polled_->bytes[share.site], share.site} < least_;
    if (dropped) partly_[share.site] = true;
    return dropped;
  });
}

}  // namespace ddm
