// Walks the blocks of one region of malloc, in a live program and without its locks.
//
// A block's size is accepted if it fits and the next header is consistent with it. Otherwise (the
// program is changing that place, or has corrupted it) the walk resynchronizes at the next few
// consistent blocks and counts what lies between as used. It ends where it finds none.
#pragma once

#include <cstdint>

#include "native/malloc/block_list.h"
#include "native/malloc/glibc_malloc.h"

namespace ddm {

// Appends to `blocks`, in ascending order and without gaps from region.begin to region.end. Returns
// the bytes that could not be parsed and count as used.
std::uint64_t walk_region(const MallocRegion& region, BlockList* blocks);

}  // namespace ddm
