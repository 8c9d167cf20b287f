// The stacks of sites, of records or of time as what a page is made of sees them: one after the
// other, each with its figures, its frames (the innermost is 0), and the class it ends in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocations/store/record_set.h"
#include "allocations/store/site_set.h"
#include "report/time_stacks.h"

namespace ddm {

class SiteStacks {
 public:
  explicit SiteStacks(const SiteSet& sites) : sites_(sites), last_(sites.size()) {}
  std::size_t size() const { return sites_.size(); }
  double amount(std::size_t i) const { return static_cast<double>(sites_[i].bytes); }
  double count(std::size_t i) const { return static_cast<double>(sites_[i].count); }
  NameId class_id(std::size_t i) const { return sites_[i].class_id; }
  static constexpr bool has_class(std::size_t) { return true; }
  static constexpr bool by_kind() { return false; }
  static std::uint32_t kind(std::size_t) { return 0; }
  bool cut(std::size_t i) const { return sites_.cut(sites_[i]); }
  std::size_t depth(std::size_t i) const {
    const TraceNumber trace = sites_[i].trace;
    return sites_.traces().size(trace) + (sites_.traces().has_gap(trace) ? 1 : 0);
  }
  // Cheap where each frame is asked for after the one before.
  NameId method(std::size_t i, std::size_t frame) const {
    const CallTree& tree = sites_.traces();
    const TraceNumber trace = sites_[i].trace;
    if (tree.has_gap(trace)) {
      if (frame == 1) return kLeftOutName;
      if (frame > 1) --frame;
    }
    Last& last = last_[i];
    if (last.node == kNoTrace || last.frame > frame) last = {trace, 0};
    for (; last.frame < frame; ++last.frame) last.node = tree.caller(last.node);
    return tree.frame(last.node).method;
  }

 private:
  struct Last {
    TraceNumber node = kNoTrace;
    std::uint32_t frame = 0;
  };
  const SiteSet& sites_;
  mutable std::vector<Last> last_;  // that was asked for, of each
};

class RecordStacks {
 public:
  explicit RecordStacks(const RecordSet& records) : records_(records) {}
  std::size_t size() const { return records_.size(); }
  double amount(std::size_t i) const { return records_[i].record.weighted_bytes(); }
  double count(std::size_t i) const { return records_[i].record.weight; }
  NameId class_id(std::size_t i) const { return records_[i].record.class_id; }
  static constexpr bool has_class(std::size_t) { return true; }
  static constexpr bool by_kind() { return false; }
  static std::uint32_t kind(std::size_t) { return 0; }
  bool cut(std::size_t i) const { return (records_[i].record.flags & kStackTruncated) != 0; }
  std::size_t depth(std::size_t i) const { return records_[i].frames.size(); }
  NameId method(std::size_t i, std::size_t frame) const { return records_[i].frames[frame].method; }

 private:
  const RecordSet& records_;
};

class StacksOfTime {
 public:
  explicit StacksOfTime(const TimeStacks& stacks) : stacks_(stacks) {}
  std::size_t size() const { return stacks_.size(); }
  double amount(std::size_t i) const { return static_cast<double>(stacks_[i].amount); }
  double count(std::size_t i) const { return static_cast<double>(stacks_[i].count); }
  NameId class_id(std::size_t i) const { return stacks_[i].class_id; }
  bool has_class(std::size_t i) const { return stacks_[i].class_id != kUnknownName; }
  bool by_kind() const { return stacks_.of() == TimeStacks::Of::kLocks; }
  std::uint32_t kind(std::size_t i) const { return static_cast<std::uint32_t>(stacks_[i].kind); }
  bool cut(std::size_t i) const { return stacks_[i].cut; }
  std::size_t depth(std::size_t i) const { return stacks_.frames(i).size(); }
  NameId method(std::size_t i, std::size_t frame) const { return stacks_.frames(i)[frame].method; }

 private:
  const TimeStacks& stacks_;
};

}  // namespace ddm
