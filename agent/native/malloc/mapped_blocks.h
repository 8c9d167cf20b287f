// Finds malloc's large blocks, each of which is its own mmap().
//
// malloc keeps only their number and sum. The kernel merges adjacent mappings, so first the start of
// every anonymous mapping and the end of every found block are checked; if the sum shows that blocks
// are missing, then every resident page of the other mappings.
#pragma once

#include <cstdint>
#include <vector>

#include "native/malloc/block_list.h"
#include "wire/chunks/mappings.h"

namespace ddm {

// Appends to `blocks`, unsorted, and returns their sum. `expected_bytes`: malloc's own sum; 0:
// unknown. `taken`: known blocks, ascending, which are skipped.
std::uint64_t find_mapped_blocks(const std::vector<Mapping>& mappings, const BlockList& taken,
                                 std::uint64_t expected_bytes, BlockList* blocks);

}  // namespace ddm
