// The stacks of all records, or of all sites, merged into one tree, outermost frame first: the data
// of the collapsed report and the flame graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocations/store/record_set.h"
#include "allocations/store/site_set.h"
#include "report/report_names.h"

namespace ddm {

// Stands for the missing frames of a stack that was cut.
inline constexpr std::string_view kDeeperFramesCut = "[deeper frames cut]";

struct StackTree {
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t name = 0;  // index into frames, or into classes
    bool is_class = false;   // a leaf: the allocated class
    // Bytes or nanoseconds of the stacks that end here, without those of its children.
    std::int64_t amount = 0;
    std::int64_t count = 0;
  };

  // Index of the frame for stacks that were cut (kStackTruncated); the root's child.
  static constexpr std::uint32_t kCutFrame = 0;

  std::vector<std::string> frames;   // "a.B.method"; overloads share one
  std::vector<std::string> classes;  // "a.B[]"
  std::vector<Node> nodes;           // [0] is the root; parents precede their children
};

StackTree stack_tree_of(const RecordSet& records, ReportNames& names);
StackTree stack_tree_of(const SiteSet& sites, ReportNames& names);

}  // namespace ddm
