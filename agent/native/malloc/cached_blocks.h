// Finds the blocks that the program has freed, but whose headers still say "in use": malloc keeps
// them in a cache of each thread (tcache) and in lists of small blocks (fastbins).
//
// A cache is itself a block, of a known size; it is recognised by its content. A block counts as
// cached only if it carries malloc's mark for cached blocks. Nothing is locked: what a thread takes
// out of its cache meanwhile may be missed.
#pragma once

#include "native/malloc/block_list.h"
#include "native/malloc/glibc_malloc.h"

namespace ddm {

// `blocks` in ascending order; sets the state of those that are found.
void mark_cached_blocks(const GlibcMalloc& malloc, BlockList* blocks);

}  // namespace ddm
