// The word of a node in a CallTree, which is the same in a ring file (docs/ring-format.md):
//
// | word     | bit 31 | bit 30 | bit 29 | bit 28   | bits 27-20 | bits 19-0           |
// | caller's | 1      | the node that the run is called by                          |
// | a node's | 0      | kGap   | kNode  | kHasGaps | filter     | its frame's number  |
//
// kHasGaps: the node has callees with a gap. The filter has bits for hashes of other callees that
// begin runs. Both are of use for searches only: a copy of a tree has none.
#pragma once

#include <cstdint>

#include "stack/tree/frame_numbers.h"

namespace ddm {

struct NodeWord {
  static constexpr std::uint32_t kCaller = 1u << 31, kGap = 1u << 30, kNode = 1u << 29;
  static constexpr std::uint32_t kHasGaps = 1u << 28, kFrame = (1u << FrameNumbers::kBits) - 1;
};

}  // namespace ddm
