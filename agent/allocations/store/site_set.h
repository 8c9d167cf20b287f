// The sites of a whole run as a report has them: a reader's own figures, and the stacks behind
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allocations/store/alloc_record.h"
#include "allocations/store/sites.h"

namespace ddm {

// So many frames of sites are spelt out in a report: those of the default number of records.
inline constexpr std::size_t kSpeltOutFrames = std::size_t{kDefaultRecords} * kDefaultDepth;

// What has become of a site's objects since they are followed; all zero if they are not.
struct SiteLife {
  std::int64_t seen_count = 0, seen_bytes = 0;  // allocated since then
  std::int64_t live_count = 0, live_bytes = 0;
  std::int64_t lived_ms = 0;                    // how long all have lived so far, added up
  std::int64_t peak_count = 0, peak_bytes = 0;  // the most of this site after a collection
  std::int64_t top_count = 0, top_bytes = 0;    // when there was most of all sites together

  SiteLife& operator+=(const SiteLife& more);
};

// What a reader gets beside the sums, where objects are followed.
struct LiveReading {
  std::int64_t now_ms = 0;  // since following began
  std::vector<SiteMoment> history = {};
  std::uint64_t gc = 0;  // that figures are of
  std::vector<SiteAges> ages = {};
};

struct Site {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::uint32_t ages = 0;  // in its SiteSet; 0: nothing of it has outlived a pause
  SiteLife life = {};
  // Of sites that are added up: they end in this frame, and `trace` is a caller further out.
  std::optional<Frame> innermost = std::nullopt;
};

class SiteSet {
 public:
  SiteSet() = default;  // sites were not counted
  // `more`: allocations that are not in `sums`. The figures are whole numbers whose sums are those
  // given: what rounding leaves over, of samples, goes to the largest site. No sum is zero.
  SiteSet(std::shared_ptr<const Sites> sites, std::vector<SiteReading> sums,
          const std::vector<SiteEntry>& more, std::int64_t count, std::int64_t bytes,
          LiveReading live = {});

  bool counted() const { return sites_ != nullptr; }
  std::uint32_t depth() const { return sites_->traces().depth(); }
  // Of those that are counted by class alone, since there was no room for their stacks.
  std::int64_t unplaced() const { return unplaced_; }
  // Of those whose stacks have a gap, likewise.
  std::int64_t shortened() const { return shortened_; }

  // Most bytes first; one line a class without a stack.
  std::size_t size() const { return list_.size(); }
  const Site& operator[](std::size_t i) const { return list_[i]; }
  const std::vector<Site>& list() const { return list_; }

  // The innermost frame first. They stand in `room` until the next call with it.
  // In place of what lies in a gap stands one frame, kLeftOutName.
  using Room = Frame[kMaxTreeDepth + 3];
  std::span<const Frame> frames(const Site& site, Room& room) const;
  // Beyond the outermost frame there are more.
  bool cut(const Site& site) const { return sites_->traces().cut(site.trace); }
  const CallTree& traces() const { return sites_->traces(); }

  // The same figures, the largest sites as they are, up to so many frames in all; the others added
  // up by class, by the frame that allocates, and by the innermost caller that is worth being told.
  SiteSet folded(std::size_t frames) const;

  SiteLife life() const;  // of all

  // All that is alive of a site, by how many of the collector's pauses it has outlived.
  LiveAges ages(const Site& site) const;
  LiveAges ages() const;  // of all

  // Those of which something is alive, with that as their count and bytes.
  SiteSet living() const;

  // Sites without a stack are there with whatever trace they had.
  const std::vector<SiteMoment>& history() const { return history_; }

 private:
  void sort();
  std::vector<double> bytes_of_callers() const;  // by TraceNumber
  std::uint32_t keep(const LiveAges& ages);

  std::shared_ptr<const Sites> sites_;
  std::vector<Site> list_;
  std::vector<SiteMoment> history_;
  std::vector<LiveAges> ages_;  // [0] of those that have outlived none is not there
  std::int64_t unplaced_ = 0;
  std::int64_t shortened_ = 0;
};

}  // namespace ddm
