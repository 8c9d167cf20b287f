// What a reader of the sites gets, as of one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "allocations/store/live_ages.h"
#include "allocations/store/live_history.h"
#include "allocations/store/live_sum.h"
#include "allocations/store/site_entry.h"

namespace ddm {

// Additional data for a reader if objects are followed.
struct LiveReading {
  std::int64_t now_ms = 0;  // since following began
  std::uint32_t one_in = 1;
  LiveHistory history;
  std::optional<std::uint64_t> gc;  // the collection as of which figures are; nullopt: not followed
  std::vector<std::pair<std::uint64_t, AgeSum>> ages;  // by SiteSum::key()
};

// The sites as a reader gets them.
struct SiteReadings {
  std::vector<SiteSum> sums;
  std::vector<LiveSum> live;  // of each, or empty: objects are not followed

  LiveSum live_of(std::size_t i) const { return live.empty() ? LiveSum() : live[i]; }
};

}  // namespace ddm
