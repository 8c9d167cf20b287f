// All stacks of one source of the page as a calling-context tree: whole, by line, nothing left out.
// What is too small to be drawn is left out by who draws.
//
// As text the nodes stand in the order of a walk from the root, which is not told itself, each as
// numbers (page_numbers.h):
//   4 * levels up from the node before to the parent + kind: 0 a frame, 1 a frame with figures of its
//   own, 2 a class (which has figures), 3 a thread
//   the name's place in the page's list of its kind
//   figures: those of PageFigures that there are, in that order; of what is alive its ages as well:
//   a mask of the classes of ages, then a count for each
// Pure; for one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/page/page_names.h"
#include "report/report.h"
#include "report/time_stacks.h"

namespace ddm {

struct PageFigures {
  double amount = 0, count = 0;  // bytes or nanoseconds, and how many
  // Of a difference: the same at the other time.
  double amount_before = 0, count_before = 0;
  std::uint32_t ages = 0;  // of the tree's; 0: none
};

class PageTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  explicit PageTree(PageNames& names) : names_(names), nodes_(1), slots_(64) {}

  // Each stack ends in a class, below a thread or not. Sites have moments where their times are known.
  void add(const SiteSet& sites, bool ages = false, bool before = false);
  void add(const RecordSet& records, const ReportData& threads);
  // `threads`: of each stack the name of its thread, or none.
  void add(const TimeStacks& stacks, const std::vector<std::string>& threads = {});

  // Of the stack of these names, from the root on; its last one is a class or a frame.
  PageFigures& figures_of(std::span<const PageNames::Name> path);

  std::size_t size() const { return nodes_.size(); }
  // To be told to the names before they are ranked.
  void use_names() const;
  enum class With { kCount, kAmount, kAges, kBefore };
  void append_text(std::string& out, With with);
  // When it was allocated, where that is known: {"step_ms":,"text":}. Moment by moment, the first
  // one is that of the oldest figure: how many stacks follow, then of each how many it leaves out
  // behind the one before, of those that have figures in the order of append_text(), which was
  // called before; then amount and count.
  bool has_moments() const { return !moments_.empty(); }
  void append_moments(std::string& out) const;

 private:
  struct Place {
    Node parent = kRoot;
    PageNames::Name name = 0;
    std::uint32_t figures = 0;  // of figures_; 0: none
  };

  struct Moment {
    std::int64_t ms = 0;
    std::uint32_t figures = 0;  // which of figures_
    double amount = 0, count = 0;
  };

  Node child(Node parent, PageNames::Name name);
  PageFigures& figures(Node node);
  void grow();
  static std::uint64_t site_key(NameId class_id, TraceNumber trace);
  void add_times(const TimesReading& times,
                 const std::unordered_map<std::uint64_t, std::uint32_t>& by_site);
  void add_ages(PageFigures& figures, const LiveAges& ages);
  void append_figures(std::string& out, const PageFigures& figures, With with) const;

  PageNames& names_;
  std::vector<Place> nodes_;
  std::vector<std::uint32_t> slots_;  // of child(): nodes by parent and name; 0: free
  std::vector<PageFigures> figures_{1};
  std::vector<LiveAges> ages_;
  std::vector<Moment> moments_;
  std::int64_t least_step_ms_ = 1;   // moments are no shorter than that
  std::vector<std::uint32_t> walk_;  // by place in figures_: how many with figures came before it
};

}  // namespace ddm
