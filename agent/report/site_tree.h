// The stacks of sites, of records or of time, merged into a tree of bounded size.
//
// Stacks are sorted into groups from one frame to the next, and only groups that are shown are
// sorted any further: a quarter of a million sites take room for a number each, and no tree of all
// their frames is made.
#pragma once

#include <cstdint>
#include <string_view>

#include "allocations/store/record_set.h"
#include "allocations/store/site_set.h"
#include "report/report_names.h"
#include "report/report_stacks.h"
#include "report/time_stacks.h"

namespace ddm {

enum class TreeOrder {
  kRootFirst,  // outermost frame ... innermost frame, class
  kClassFirst  // class, innermost frame, its caller ...; where a stack ends its bytes are
};

// What has less than one part in `parts` of the amount, and of the count, stands together as
// kSmallerOnes below its parent; what is cut is below StackTree::kCutFrame.
StackTree site_tree(const SiteSet& sites, ReportNames& names, TreeOrder order, std::int64_t parts);
StackTree site_tree(const RecordSet& records, ReportNames& names, TreeOrder order,
                    std::int64_t parts);
// Of locks the outermost bar is the kind of waiting, and `parts` are those of its own time: much
// waiting of one kind hides none of another.
StackTree site_tree(const TimeStacks& stacks, ReportNames& names, TreeOrder order,
                    std::int64_t parts);

inline constexpr std::string_view kSmallerOnes = "[smaller ones]";  // a class
inline constexpr std::uint32_t kSmallerOnesClass = 0;               // the first of the tree's

}  // namespace ddm
