// The map of malloc's memory: every block, free or in use, at its true address.
//
// Read by one walk while the program runs, so blocks that change meanwhile may be wrong. Takes about
// 20 ms per million blocks. Any thread that may block; the list's memory is mapped, 16 bytes per
// block.
#pragma once

#include <string>

#include "native/malloc/block_list.h"

namespace ddm {

struct NativeMap {
  // False: malloc's structures were not recognised, for the reason `why`. The blocks are then the
  // mappings that may contain its memory, [heap] and all anonymous ones, as used.
  bool recognised = false;
  std::string why;

  BlockList blocks;  // in ascending order

  std::uint64_t used_bytes = 0;    // including malloc's own
  std::uint64_t cached_bytes = 0;  // BlockState::kCached
  std::uint64_t free_bytes = 0;
  std::uint64_t mapped_bytes = 0;  // the part of used_bytes in mmapped blocks
  std::uint64_t lost_bytes = 0;    // not parsed: counted as one used block, or left out
  // Of mmapped blocks and arenas that malloc counts and that were not found.
  std::uint64_t missing_bytes = 0;
};

// Throws std::bad_alloc.
NativeMap read_native_map();

}  // namespace ddm
