#include "allocations/store/site_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "allocations/store/live_history.h"

namespace ddm {

void SiteTimes::poll(const SiteTable& sites, std::int64_t ms) {
  if (!polled_) {
    polled_.emplace(sites.size());
    partly_.resize(sites.size());
  }
  if (!polled_->good()) return;  // no memory: times stay unknown
  while (static_cast<std::size_t>(ms / step_) >= kMostMoments) halve();
  const auto now = std::max(static_cast<std::size_t>(ms / step_), last_);
  if (moments_.size() <= now) moments_.resize(now + 1);
  // A poll at the end of a moment counts for the moment before it.
  const std::size_t last = now > last_ ? now - 1 : now;
  const std::size_t first = last - last_ <= kMostLate ? last_ : last;
  sites.for_each([&](SiteNumber site, const SiteSum& sum) {
    double& bytes = polled_->bytes[site];
    float& count = polled_->counts[site];
    if (sum.bytes == bytes) return;
    const auto count_now = static_cast<float>(sum.count);
    if (Rank{sum.bytes, site} < least_) {
      partly_[site] = true;
    } else {
      add({site, count_now - count, sum.bytes - bytes}, first, last);
    }
    bytes = sum.bytes;
    count = count_now;
  });
  if (now > last_) merge_shares(moments_[last_]);
  last_ = now;
  if (shares_ <= kMostShares) return;
  merge_shares(moments_[last_]);
  while (shares_ > kMostShares && moments_.size() >= 2 * kFewestMoments) halve();
  if (shares_ > kMostShares) drop_smallest();
}

// Spread evenly, in whole allocations.
void SiteTimes::add(const Share& share, std::size_t first, std::size_t last) {
  const auto parts = static_cast<double>(last - first + 1);
  double count = 0, bytes = 0;  // so far
  for (std::size_t at = first; at <= last; ++at) {
    const double until =
        at == last ? share.count
                   : std::floor(share.count * static_cast<double>(at - first + 1) / parts);
    const double bytes_until =
        at == last ? share.bytes : std::floor(share.bytes * until / share.count);
    if (until == count && (at < last || bytes_until == bytes)) continue;
    // A moment grows by the shares of many polls: before its memory doubles these are added up.
    if (moments_[at].size() == moments_[at].capacity()) merge_shares(moments_[at]);
    moments_[at].push_back({share.site, static_cast<float>(until - count), bytes_until - bytes});
    ++shares_;
    count = until;
    bytes = bytes_until;
  }
}

// One share of each site remains.
void SiteTimes::merge_shares(Moment& moment) {
  shares_ -= moment.size();
  merge_by_site(moment);
  moment.shrink_to_fit();
  shares_ += moment.size();
}

void SiteTimes::halve() {
  for (std::size_t i = 0; i < moments_.size(); i += 2) {
    Moment both = std::move(moments_[i]);
    if (i + 1 < moments_.size()) {
      both.insert(both.end(), moments_[i + 1].begin(), moments_[i + 1].end());
    }
    moments_[i / 2] = std::move(both);
    merge_shares(moments_[i / 2]);
  }
  moments_.resize((moments_.size() + 1) / 2);
  step_ *= 2;
  last_ /= 2;
}

// Leaves half of the limit free.
void SiteTimes::drop_smallest() {
  std::vector<Rank> ranks;
  ranks.reserve(shares_);
  for (const Moment& moment : moments_) {
    for (const Share& share : moment) ranks.push_back({polled_->bytes[share.site], share.site});
  }
  const auto least = ranks.end() - static_cast<std::ptrdiff_t>(kMostShares / 2);
  std::ranges::nth_element(ranks, least);
  least_ = *least;
  for (Moment& moment : moments_) {
    shares_ -= std::erase_if(moment, [&](const Share& share) {
      const bool dropped = Rank{polled_->bytes[share.site], share.site} < least_;
      if (dropped) partly_[share.site] = true;
      return dropped;
    });
    moment.shrink_to_fit();
  }
}

}  // namespace ddm
