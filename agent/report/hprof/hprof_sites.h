// A report's sites and times as hprof shows them: stacks truncated to a number of frames, with
// figures, without those below a share of the total. Shared by the text and the binary writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "report/report.h"
#include "report/report_names.h"
#include "report/report_time.h"

namespace ddm {

struct HprofFrame {
  NameId method = kUnknownName;
  std::int32_t line = kLineUnknown;    // or kLineNative
  std::int32_t bci = kNativeFrameBci;  // HprofView::bcis; otherwise frames are equal without it
  friend bool operator==(const HprofFrame&, const HprofFrame&) = default;
};

struct HprofSite {
  NameId class_id = kUnknownName;
  std::size_t stack = 0;
  std::int64_t thread = 0;  // 0: of all threads
  std::int64_t live_bytes = 0;
  std::int64_t live_count = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

enum class HprofOrder { kLive, kAllocated };

struct HprofView {
  std::size_t depth = kMaxDepth;
  bool lines = true;
  bool bcis = false;     // places on one line differ
  bool threads = false;  // each site begins with a thread_frame()
  // Sites below this share of the live bytes, and of the allocated ones, are dropped.
  double cutoff = 0;
  HprofOrder order = HprofOrder::kLive;  // without live figures like kAllocated
};

// Removes a leading thread_frame() and returns its thread; 0: there is none.
std::int64_t take_thread(std::span<const Frame>& frames);

// The innermost frames of a stack, with lines, and bytecode indices if `view` has them.
std::vector<HprofFrame> hprof_stack(std::span<const Frame> frames, ReportNames& names,
                                    const HprofView& view);

class HprofSites {
 public:
  HprofSites(const ReportData& data, ReportNames& names, const HprofView& view);

  // Largest first.
  const std::vector<HprofSite>& list() const { return list_; }
  std::span<const HprofFrame> stack(const HprofSite& site) const { return stacks_[site.stack]; }
  HprofOrder order() const { return order_; }

  // Of all sites, shown or not.
  const HprofSite& totals() const { return totals_; }
  // Of the figure that orders the list.
  double share(const HprofSite& site) const;

 private:
  std::vector<HprofSite> list_;
  std::vector<std::vector<HprofFrame>> stacks_;  // distinct
  HprofSite totals_;
  HprofOrder order_ = HprofOrder::kLive;
};

struct HprofCost {
  std::vector<HprofFrame> stack;
  NameId class_id = kUnknownName;  // the class of a lock
  std::int64_t count = 0;
  std::int64_t cost = 0;  // samples or nanoseconds; the order of the list
};

class HprofCosts {
 public:
  // Of locks only waits to enter synchronized code, the only kind that hprof reports.
  HprofCosts(const TimeStacks& stacks, ReportNames& names, const HprofView& view);

  // Largest cost first.
  const std::vector<HprofCost>& list() const { return list_; }
  // Of all stacks, shown or not.
  std::int64_t total() const { return total_; }
  double share(const HprofCost& cost) const;

 private:
  std::vector<HprofCost> list_;
  std::int64_t total_ = 0;
};

}  // namespace ddm
