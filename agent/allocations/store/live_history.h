// What happened at sites in consecutive moments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "allocations/store/live_store.h"

namespace ddm {

// Adds up the entries of each site: one remains, and they are sorted by site.
template <typename Entry>
void merge_by_site(std::vector<Entry>& entries) {
  // Sites are visited in order: the entries of a single visit are sorted already.
  if (!std::ranges::is_sorted(entries, {}, &Entry::site)) {
    std::ranges::sort(entries, {}, &Entry::site);
  }
  auto end = entries.begin();
  for (const Entry& entry : entries) {
    if (end != entries.begin() && end[-1].site == entry.site) {
      end[-1] += entry;
    } else {
      *end++ = entry;
    }
  }
  entries.erase(end, entries.end());
}

struct LiveChange {
  SiteNumber site = 0;
  double seen_bytes = 0;  // allocated since the previous moment
  double dead_bytes = 0;  // of followed objects

  void operator+=(const LiveChange& more) {
    seen_bytes += more.seen_bytes;
    dead_bytes += more.dead_bytes;
  }
};

// The bytes of each site allocated and found dead, by collection. Bounded: beyond the limit adjacent
// moments are merged.
class LiveHistory {
 public:
  static constexpr std::size_t kMostChanges = std::size_t{1} << 17;

  struct Moment {
    std::int64_t ms = 0;              // since following began
    std::vector<LiveChange> changes;  // by site, ascending
  };

  // Begins a moment, which the following add() calls refer to.
  void begin(std::int64_t ms) {
    if (changes_ > kMostChanges) halve();
    if (moments_.empty() || !moments_.back().changes.empty()) moments_.emplace_back();
    moments_.back().ms = ms;
  }
  // Call in ascending order of sites.
  void add(const LiveChange& change) {
    moments_.back().changes.push_back(change);
    ++changes_;
  }
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  void halve() {
    std::vector<Moment> fewer;
    changes_ = 0;
    for (std::size_t i = 0; i < moments_.size(); i += 2) {
      Moment& both = fewer.emplace_back(std::move(moments_[i]));
      if (i + 1 < moments_.size()) {
        const Moment& second = moments_[i + 1];
        both.ms = second.ms;
        both.changes.insert(both.changes.end(), second.changes.begin(), second.changes.end());
        merge_by_site(both.changes);
      }
      changes_ += both.changes.size();
    }
    moments_ = std::move(fewer);
  }

  std::vector<Moment> moments_;
  std::size_t changes_ = 0;
};

}  // namespace ddm
