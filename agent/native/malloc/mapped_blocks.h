// Finds the big blocks that malloc has got from mmap, each one a mapping of its own.
//
// malloc keeps no list of them, only their number and sum. The kernel joins neighbouring mappings,
// so first the beginnings of all anonymous mappings are looked at, and what follows a block; if the
// sum says that some are missing, every page in use of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "native/malloc/block_list.h"
#include "wire/chunks/mappings.h"

namespace ddm {

// Appends to `blocks`, not sorted. `expected_bytes` is malloc's own sum; none: 0. `taken` in
// ascending order: what need not be looked at. The sum of what was found.
std::uint64_t find_mapped_blocks(const std::vector<Mapping>& mappings, const BlockList& taken,
                                 std::uint64_t expected_bytes, BlockList* blocks);

}  // namespace ddm
