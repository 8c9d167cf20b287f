// The sites of a whole run for a report: a reader's own figures, and the stacks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "allocations/store/alloc_record.h"
#include "allocations/store/sites.h"

namespace ddm {

// Limit of frames written in full in a report: those of the default number of records.
inline constexpr std::size_t kSpeltOutFrames = std::size_t{kDefaultRecords} * kDefaultDepth;

// The fate of a site's objects since they are followed; all zero if they are not.
struct SiteLife {
  std::int64_t seen_count = 0, seen_bytes = 0;  // allocated since then
  std::int64_t live_count = 0, live_bytes = 0;
  std::int64_t lived_ms = 0;                    // sum of all lifetimes so far
  std::int64_t peak_count = 0, peak_bytes = 0;  // maximum of this site after a collection
  std::int64_t top_count = 0, top_bytes = 0;    // when the bytes of all sites were at their maximum

  SiteLife& operator+=(const SiteLife& more);
};

struct Site {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::uint32_t ages = 0;  // index in its SiteSet; 0: no object has survived a pause
  SiteLife life = {};
  // For merged sites: their common innermost frame; `trace` is then a caller further out.
  std::optional<Frame> innermost = std::nullopt;
};

class SiteSet {
 public:
  SiteSet() = default;  // sites were not counted
  // `more`: allocations not included in `sums`. Figures are whole numbers that add up to `count`
  // and `bytes`: of samples each is off by less than one.
  SiteSet(std::shared_ptr<const Sites> sites, SiteReadings sums, const std::vector<SiteEntry>& more,
          std::int64_t count, std::int64_t bytes, LiveReading live = {});

  bool counted() const { return sites_ != nullptr; }
  // Allocations counted by class alone, since there was no room for their stacks.
  std::int64_t unplaced() const { return unplaced_; }
  // Allocations whose stacks have a gap for the same reason.
  std::int64_t shortened() const { return shortened_; }
  // Both as a report told them from which this set was read back.
  void set_incomplete(std::int64_t unplaced, std::int64_t shortened) {
    unplaced_ = unplaced;
    shortened_ = shortened;
  }

  // Most bytes first; one entry per class without a stack.
  std::size_t size() const { return list_.size(); }
  const Site& operator[](std::size_t i) const { return list_[i]; }
  const std::vector<Site>& list() const { return list_; }

  // Innermost frame first. The result is stored in `room` until its next use. A gap in a stack is
  // represented by one frame, kLeftOutName.
  using FrameBuffer = Frame[kMaxTreeDepth + 3];
  std::span<const Frame> frames(const Site& site, FrameBuffer& buffer) const;
  // Frames beyond the outermost one were cut.
  bool cut(const Site& site) const { return sites_->traces().cut(site.trace); }
  const CallTree& traces() const { return sites_->traces(); }

  // The same figures: the largest sites unchanged, up to `frames` frames in total; the others
  // merged by class, allocating frame, and the innermost caller with a significant share.
  SiteSet folded(std::size_t frames) const;

  SiteLife life() const;  // total

  // All live objects of a site, by the number of pauses that they have survived.
  LiveAges ages(const Site& site) const;
  LiveAges ages() const;  // total

  // The sites with live objects, which are their count and bytes.
  SiteSet living() const;

  // The sites whose frames are wanted.
  SiteSet with(const std::function<bool(std::span<const Frame>)>& wanted) const;

  // Changes of sites by their numbers; those without a stack have their original trace.
  const LiveHistory& history() const { return history_; }

  // Allocations by site and time, likewise; the last moment may be incomplete.
  const TimesReading& times() const { return times_; }
  void set_times(TimesReading times) { times_ = std::move(times); }

  // SiteSum::key() of a site of the history or of times, with the trace that it has in this set.
  std::uint64_t key_of(SiteNumber number) const {
    const SiteSum& sum = sites_->table()[number];
    return SiteSum::key_of(sum.class_id, std::max(sum.trace, kEmptyTrace));
  }

 private:
  void sort();
  std::vector<double> bytes_of_callers() const;  // by TraceNumber
  // `more` is no site of the list any more: its ages may be added to.
  void add(Site& sum, const Site& more);

  std::shared_ptr<const Sites> sites_;
  std::vector<Site> list_;
  LiveHistory history_;
  TimesReading times_;
  std::vector<LiveAges> ages_;  // without class [0], which is computed; sites refer by index + 1
  std::int64_t unplaced_ = 0;
  std::int64_t shortened_ = 0;
};

}  // namespace ddm
