// Walks the blocks of one region of malloc, in a live program and without its locks.
//
// A block's size is believed if it fits and the next header agrees. Where that fails (the program
// is changing that place, or it has broken it) the walk looks for the next few blocks that agree
// with one another; what lies between counts as used. It ends where it finds none.
#pragma once

#include <cstdint>

#include "native/malloc/block_list.h"
#include "native/malloc/glibc_malloc.h"

namespace ddm {

struct WalkResult {
  std::uint64_t lost_bytes = 0;  // reported as used because nothing could be made of them
  std::uint64_t resyncs = 0;
};

// Appends to `blocks`, in ascending order and without gaps from region.begin to region.end.
WalkResult walk_region(const MallocRegion& region, BlockList* blocks);

}  // namespace ddm
