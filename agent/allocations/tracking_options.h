// The settings of allocation tracking, from the option string or a second load of the agent. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocations/store/alloc_record.h"
#include "core/option_table.h"
#include "stack/tree/call_tree.h"
#include "stack/walker.h"

namespace ddm {

enum class EngineKind { kBci, kVm };

struct TrackingOptions {
  EngineKind engine = EngineKind::kVm;
  bool engine_chosen = false;  // by the user; otherwise bci is used where vm is not possible
  std::int64_t interval = 0;   // bytes between samples of engine=vm; 0 = every allocation
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
  std::uint32_t sites = kDefaultTraces;  // number of stacks that sites are counted by; 0 = none
  std::uint32_t sites_depth = kMaxTreeDepth;
  std::uint32_t live = 0;  // 0: objects are not followed, N: one object in N
  WalkerKind walker = WalkerKind::kAuto;
  bool per_thread_sites = false;  // separates sites by thread; only under hprof's name
  friend bool operator==(const TrackingOptions&, const TrackingOptions&) = default;
};

// The same with the start of tracking.
struct AllocationOptions : TrackingOptions {
  bool start = false;               // the last string switches tracking on
  std::optional<bool> track;        // of the last string; nullopt: see Options::track_from_start
  bool hooks_at_start = false;      // engine=bci: rewrite classes at load, not on the first start
  std::optional<std::string> ring;  // as given; "" = the agent chooses a name

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
  // The value of "engine" or "interval", as it is given; "" for other options.
  std::string present(std::string_view option) const;
  // What is wrong with the combination of options in one string; "" = nothing.
  Wrong conflict(const GivenOptions& given) const;
};

}  // namespace ddm
