// Finds the blocks that the program has freed, but whose headers still say "in use": those in the
// threads' caches (tcache) and in the lists of small blocks (fastbins).
//
// A tcache is itself a block, of a known size, recognised by its content. A block counts as cached
// only if it has malloc's key for cached blocks. Nothing is locked: concurrent changes of a cache may
// be missed.
#pragma once

#include "native/malloc/block_list.h"
#include "native/malloc/glibc_malloc.h"

namespace ddm {

// `blocks`: in ascending order; sets the state of cached ones.
void mark_cached_blocks(const GlibcMalloc& malloc, BlockList* blocks);

}  // namespace ddm
