// When how many bytes of which site were allocated and found dead, collection by collection.
//
// Bounded: with more to remember than that, two moments that follow each other become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocations/store/live_store.h"

namespace ddm {

struct LiveChange {
  SiteNumber site = 0;
  double seen_bytes = 0;  // that were allocated since the moment before
  double dead_bytes = 0;  // of those followed
};

class LiveHistory {
 public:
  static constexpr std::size_t kMostChanges = std::size_t{1} << 17;

  struct Moment {
    std::int64_t ms = 0;              // since following began
    std::vector<LiveChange> changes;  // by site, ascending
  };

  // What follows belongs to this moment.
  void begin(std::int64_t ms);
  // Sites in ascending order.
  void add(const LiveChange& change);
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  void halve();

  std::vector<Moment> moments_;
  std::size_t changes_ = 0;
};

}  // namespace ddm
