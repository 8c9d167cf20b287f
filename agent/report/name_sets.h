// What each stack of a page's source is made of: the names in it, each once, in no order, with the
// figures of all stacks that are made of the same. A tree for the eye lets small stacks stand
// together; search, and totals by class, go by these, so that they are of all there is.
//
// A quarter of a million stacks of javac are 2.5 MB so. `text` has the sets one after the other in
// numbers of 5 bits a letter (A-Z, a-z, 0-9, +, /), the lowest bits first, 32 added to all letters of
// a number but its last: how many names of the set before it go, how many come, each of these as how
// many it leaves out behind the one before, then the amount (unless the source has none) and the
// count. The names of a set ascend; a name's number is its place in `order`, which has the
// often used ones first, and there stands its place in the tree's frames, or behind those in its
// classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allocations/store/site_set.h"
#include "report/report_names.h"
#include "report/report_stacks.h"
#include "report/time_stacks.h"

namespace ddm {

struct NameSets {
  std::vector<std::uint32_t> order;
  std::string text;  // "": the tree shows every stack, and its own sums are those of all
};

// `tree` is what site_tree() has made of the same stacks; it gets the names that it lacks.
NameSets name_sets(const SiteSet& sites, ReportNames& names, StackTree& tree);
NameSets name_sets(const TimeStacks& stacks, ReportNames& names, StackTree& tree, bool with_amount);

}  // namespace ddm
