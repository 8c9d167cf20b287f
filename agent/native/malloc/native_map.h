// The map of malloc's memory: every block, free or in use, at its true address.
//
// Made by one walk while the program runs, so blocks that change meanwhile may be wrong. Takes
// about 20 ms for a million blocks. Any thread that may block; the memory for the list is mapped,
// 16 bytes a block.
#pragma once

#include <string>

#include "native/malloc/block_list.h"

namespace ddm {

struct NativeMap {
  // False: malloc's structures are not understood, `why`. The blocks are then the mappings that
  // its memory must be in, [heap] and all anonymous ones, as used.
  bool recognised = false;
  std::string why;

  BlockList blocks{mapped_memory()};  // in ascending order

  std::uint64_t used_bytes = 0;    // with what malloc needs for itself
  std::uint64_t cached_bytes = 0;  // BlockState::kCached
  std::uint64_t free_bytes = 0;
  std::uint64_t mapped_bytes = 0;  // the part of used_bytes in blocks with a mapping of their own
  std::uint64_t lost_bytes = 0;    // not readable as blocks: one block of used_bytes, or left out
  // Of blocks with mappings of their own and of arenas, as malloc counts them, that were not found.
  std::uint64_t missing_bytes = 0;
};

// Throws std::bad_alloc.
NativeMap read_native_map();

}  // namespace ddm
