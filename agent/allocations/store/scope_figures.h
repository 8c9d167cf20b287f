// A scope's allocations as a reader gets them: the sites that are measured, with allocations of
// first uses marked.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "allocations/store/method_kinds.h"
#include "allocations/store/scopes.h"
#include "stack/names/name_table.h"

namespace ddm {

struct ScopeSite {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  std::int64_t objects = 0, bytes = 0;
  std::uint32_t frames = 0;  // of its stack, up to where the measured part begins
  bool first_use = false;
  bool own = false;  // on the scope's owner thread
};

struct ScopeFigures {
  std::shared_ptr<const Sites> sites;  // of the stacks
  std::vector<ScopeSite> list;         // most bytes first
  std::int64_t lost = 0;               // allocations not counted, or without a complete stack
};

// The live objects of sites, by SiteSum::key().
struct LiveAmount {
  std::int64_t objects = 0, bytes = 0;
};
using LiveBySite = std::unordered_map<std::uint64_t, LiveAmount>;

// By how much the live objects of a scope's sites have increased between two moments.
LiveAmount live_of(const ScopeFigures& figures, const LiveBySite& before, const LiveBySite& now);

ScopeFigures figures_of(const Scopes::Ended& ended, const NameTable& names, MethodKinds& kinds);

}  // namespace ddm
