// The bytes of each site allocated and found dead, by collection. Bounded: beyond the limit adjacent
// moments are merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "allocations/store/live_store.h"
#include "allocations/store/site_moments.h"

namespace ddm {

struct LiveChange {
  SiteNumber site = 0;
  double seen_bytes = 0;  // allocated since the previous moment
  double dead_bytes = 0;  // of followed objects

  void operator+=(const LiveChange& more) {
    seen_bytes += more.seen_bytes;
    dead_bytes += more.dead_bytes;
  }
};

class LiveHistory {
 public:
  static constexpr std::size_t kMostChanges = std::size_t{1} << 17;

  // Begins a moment, which the following add() calls refer to. `ms`: since following began.
  void begin(std::int64_t ms) {
    if (moments_.entries() > kMostChanges) halve();
    if (moments_.empty() || !moments_[size() - 1].empty()) {
      moments_.begin();
      ms_.emplace_back();
    }
    ms_.back() = ms;
  }
  // Call in ascending order of sites.
  void add(const LiveChange& change) { moments_.add(change); }

  std::size_t size() const { return moments_.size(); }
  std::int64_t ms(std::size_t moment) const { return ms_[moment]; }
  // Ascending by site.
  std::span<const LiveChange> operator[](std::size_t moment) const { return moments_[moment]; }

  template <typename Unwanted>
  void erase_if(Unwanted unwanted) {
    moments_.erase_if(unwanted);
  }

 private:
  void halve() {
    moments_.halve();
    for (std::size_t i = 0; i < size(); ++i) ms_[i] = ms_[std::min(2 * i + 1, ms_.size() - 1)];
    ms_.resize(size());
  }

  SiteMoments<LiveChange> moments_;
  std::vector<std::int64_t> ms_;  // by moment
};

}  // namespace ddm
