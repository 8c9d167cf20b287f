// What allocation tracking is asked for, by the option string or by a second load of the agent.
#pragma once

#include <cstdint>

#include "options.h"

namespace ddm {

struct TrackingOptions {
  EngineKind engine = EngineKind::kVm;
  bool engine_chosen = false;  // by the user; otherwise bci serves where vm cannot
  std::int64_t interval = 0;
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
  std::uint32_t sites = kDefaultTraces;  // 0: none are counted
  std::uint32_t sites_depth = kMaxDepth;
  std::uint32_t live = 0;  // 0: nothing is followed, N: one object in N
  WalkerKind walker = WalkerKind::kAuto;
  bool threads_apart = false;  // sites of each thread
  friend bool operator==(const TrackingOptions&, const TrackingOptions&) = default;
};

}  // namespace ddm
