// All stacks of one source of the page as a complete calling-context tree, by line; the page's script
// omits what is too small to draw.
//
// As text: the nodes in depth-first order without the root, each as numbers (page_numbers.h):
//   4 * levels up from the previous node to the parent + kind: 0 a frame, 1 a frame with figures, 2 a
//   class (always with figures), 3 a thread
//   the name's place in the page's list of its kind
//   figures: the present ones of PageFigures, in that order; for live objects also ages: a bit mask of
//   age classes, then a count for each
// Pure; for one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/page/page_names.h"
#include "report/report.h"
#include "report/report_time.h"

namespace ddm {

struct PageFigures {
  double amount = 0, count = 0;  // bytes or nanoseconds, and how many
  // Of a comparison: the same in the earlier report.
  double amount_before = 0, count_before = 0;
  std::uint32_t ages = 0;  // index in the tree's list; 0: none
  void add(double more_amount, double more_count) {
    amount += more_amount;
    count += more_count;
  }
};

class PageTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;

  explicit PageTree(PageNames& names) : names_(names), nodes_(1), slots_(64) {}

  // Each stack ends in a class, below a thread or not. Adds moments if the sites have times.
  void add(const SiteSet& sites, bool ages = false, bool before = false);
  void add(const RecordSet& records, const ReportData& threads);
  // `threads`: the thread name of each stack, or empty.
  void add(const TimeStacks& stacks, const std::vector<std::string>& threads = {});

  // Of the stack with these names, outermost first; the last is a class or a frame.
  PageFigures& figures_of(std::span<const PageNames::Name> path);

  std::size_t size() const { return nodes_.size(); }
  // Registers the use of all names; call before PageNames::rank().
  void use_names() const;
  enum class With { kCount, kAmount, kAges, kBefore };
  void append_text(std::string& out, With with);
  // Allocation by time, if known: {"step_ms":,"text":}. For each moment, from the oldest figure's on:
  // the number of stacks; for each stack its distance to the previous one among the nodes with
  // figures, in the order of append_text(), which must precede; then amount and count.
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
  Node below(Node node, std::span<const Frame> frames, bool cut);
  PageFigures& figures(Node node);
  void grow();
  void add_times(const SiteSet& sites,
                 const std::unordered_map<std::uint64_t, std::uint32_t>& by_site);
  void add_ages(PageFigures& figures, const LiveAges& ages);
  void append_figures(std::string& out, const PageFigures& figures, With with) const;

  PageNames& names_;
  std::vector<Place> nodes_;
  std::vector<std::uint32_t> slots_;  // of child(): nodes by parent and name; 0: free
  std::vector<PageFigures> figures_{1};
  std::vector<LiveAges> ages_;
  std::vector<Moment> moments_;
  std::int64_t least_step_ms_ = 1;   // minimum length of a moment
  std::vector<std::uint32_t> walk_;  // by index in figures_: position in append_text()'s order
};

}  // namespace ddm
