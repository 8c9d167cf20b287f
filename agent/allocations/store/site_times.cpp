#include "allocations/store/site_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddm {
namespace {

// Most are: a look goes through the sites in their order.
SiteTimes::Moment in_order(SiteTimes::Moment moment) {
  if (!std::ranges::is_sorted(moment, {}, &SiteTimes::Share::site)) {
    std::ranges::sort(moment, {}, &SiteTimes::Share::site);
  }
  return moment;
}

}  // namespace

void SiteTimes::look(const SiteTable& sites, std::int64_t ms) {
  while (static_cast<std::size_t>(ms / step_) >= kMostMoments ||
         (shares_ > kMostShares && moments_.size() > 1)) {
    halve();
  }
  const auto now = std::max(static_cast<std::size_t>(ms / step_), last_);
  if (moments_.size() <= now) moments_.resize(now + 1);
  // Of a look at the end of a moment the bytes are those of the moment before it.
  const std::size_t last = now > last_ ? now - 1 : now;
  const std::size_t first = last - last_ <= kMostLate ? last_ : last;
  sites.for_each([&](SiteNumber site, const SiteSum& sum) {
    if (site >= told_.size()) told_.resize(std::max<std::size_t>(site + 1, 2 * told_.size()));
    Told& told = told_[site];
    if (sum.count == told.count) return;
    add({site, sum.count - told.count, sum.bytes - told.bytes}, first, last);
    told = {sum.count, sum.bytes};
  });
  last_ = now;
}

// Spread evenly, in whole allocations.
void SiteTimes::add(const Share& share, std::size_t first, std::size_t last) {
  const auto parts = static_cast<double>(last - first + 1);
  double count = 0, bytes = 0;  // so far
  for (std::size_t at = first; at <= last; ++at) {
    const double until =
        at == last ? share.count
                   : std::floor(share.count * static_cast<double>(at - first + 1) / parts);
    if (until == count) continue;
    const double bytes_until =
        at == last ? share.bytes : std::floor(share.bytes * until / share.count);
    moments_[at].push_back({share.site, until - count, bytes_until - bytes});
    ++shares_;
    count = until;
    bytes = bytes_until;
  }
}

void SiteTimes::halve() {
  shares_ = 0;
  for (std::size_t i = 0; i < moments_.size(); i += 2) {
    Moment both = in_order(std::move(moments_[i]));
    if (i + 1 < moments_.size()) {
      const Moment later = in_order(std::move(moments_[i + 1]));
      const auto middle = static_cast<std::ptrdiff_t>(both.size());
      both.insert(both.end(), later.begin(), later.end());
      std::ranges::inplace_merge(both, both.begin() + middle, {}, &Share::site);
    }
    Moment& merged = moments_[i / 2];
    merged.clear();
    for (const Share& share : both) {
      if (merged.empty() || merged.back().site != share.site) {
        merged.push_back(share);
      } else {
        merged.back().count += share.count;
        merged.back().bytes += share.bytes;
      }
    }
    merged.shrink_to_fit();
    shares_ += merged.size();
  }
  moments_.resize((moments_.size() + 1) / 2);
  step_ *= 2;
  last_ /= 2;
}

}  // namespace ddm
