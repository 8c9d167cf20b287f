// A report's times as hprof shows them: stacks truncated to a number of frames, with counts and
// costs, without those below a share of the total. Shared by the text and the binary writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/hprof/hprof_sites.h"
#include "report/report_names.h"
#include "report/time_data.h"

namespace ddm {

struct HprofCost {
  std::vector<HprofFrame> stack;
  NameId class_id = kUnknownName;  // the class of a lock
  std::int64_t count = 0;
  std::int64_t cost = 0;  // samples or nanoseconds; the order of the list
};

class HprofCosts {
 public:
  // Sampled stacks; count and cost are both samples.
  static HprofCosts samples(const TimeData& time, ReportNames& names, const HprofView& view);
  // Timed methods with their callers: calls and self time.
  static HprofCosts times(const TimeData& time, const HprofView& view);
  // Waits to enter synchronized code, the only kind of lock that hprof reports.
  static HprofCosts monitors(const TimeData& time, ReportNames& names, const HprofView& view);

  // Largest cost first.
  const std::vector<HprofCost>& list() const { return list_; }
  // Of all stacks, shown or not.
  std::int64_t total() const { return total_; }
  double share(const HprofCost& cost) const {
    return total_ > 0 ? static_cast<double>(cost.cost) / static_cast<double>(total_) : 0;
  }

 private:
  void add(std::vector<HprofFrame> stack, NameId class_id, std::int64_t count, std::int64_t cost);
  void finish(double cutoff);

  std::vector<HprofCost> list_;
  std::map<std::pair<std::string, NameId>, std::size_t> places_;  // by the stack's bytes and class
  std::int64_t total_ = 0;
};

}  // namespace ddm
