// What a scope has allocated, as a reader gets it: its sites, with what is of first uses told apart, and
// without what was not to be measured.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "allocations/store/scopes.h"
#include "stack/names/name_table.h"

namespace ddm {

struct ScopeSite {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  std::int64_t objects = 0, bytes = 0;
  std::uint32_t frames = 0;  // of its stack, up to where what is measured begins
  bool first_use = false;
  bool own = false;  // of the thread that the scope is of
};

struct ScopeFigures {
  std::shared_ptr<const Sites> sites;  // that the stacks are of
  std::vector<ScopeSite> list;         // most bytes first
  std::int64_t lost = 0;               // allocations of whose stack too little is known
};

// What is alive of sites, by SiteSum::key().
struct LiveAmount {
  std::int64_t objects = 0, bytes = 0;
};
using LiveBySite = std::unordered_map<std::uint64_t, LiveAmount>;

// What has come to live at the sites of a scope between two moments.
LiveAmount live_of(const ScopeFigures& figures, const LiveBySite& before, const LiveBySite& now);

ScopeFigures figures_of(const Scopes::Ended& ended, const NameTable& names);

}  // namespace ddm
