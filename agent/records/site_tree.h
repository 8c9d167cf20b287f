// The stacks of sites, or of records, merged into a tree of bounded size.
//
// Stacks are sorted into groups from one frame to the next, and only groups that are shown are
// sorted any further: a quarter of a million sites take room for a number each, and no tree of all
// their frames is made.
#pragma once

#include <cstdint>
#include <string_view>

#include "records/record_set.h"
#include "records/report_names.h"
#include "records/report_stacks.h"
#include "records/site_set.h"

namespace ddm {

enum class TreeOrder {
  kRootFirst,  // outermost frame ... innermost frame, class
  kClassFirst  // class, innermost frame, its caller ...; where a stack ends its bytes are
};

// What has less than one part in `parts` of the bytes, and of the count, stands together as
// kSmallerOnes below its parent; what is cut is below StackTree::kCutFrame.
StackTree site_tree(const SiteSet& sites, ReportNames& names, TreeOrder order, std::int64_t parts);
StackTree site_tree(const RecordSet& records, ReportNames& names, TreeOrder order,
                    std::int64_t parts);

inline constexpr std::string_view kSmallerOnes = "[smaller ones]";  // a class

}  // namespace ddm
