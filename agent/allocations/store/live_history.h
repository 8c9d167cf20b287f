// The bytes of each site allocated and found dead, by collection.
//
// Bounded: beyond the limit adjacent moments are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocations/store/live_store.h"

namespace ddm {

struct LiveChange {
  SiteNumber site = 0;
  double seen_bytes = 0;  // allocated since the previous moment
  double dead_bytes = 0;  // of followed objects
};

class LiveHistory {
 public:
  static constexpr std::size_t kMostChanges = std::size_t{1} << 17;

  struct Moment {
    std::int64_t ms = 0;              // since following began
    std::vector<LiveChange> changes;  // by site, ascending
  };

  // Begins a moment, which the following add() calls refer to.
  void begin(std::int64_t ms);
  // Call in ascending order of sites.
  void add(const LiveChange& change);
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  void halve();

  std::vector<Moment> moments_;
  std::size_t changes_ = 0;
};

}  // namespace ddm
