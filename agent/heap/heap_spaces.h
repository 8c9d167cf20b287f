// The pieces that the heap consists of just now, read from the VM's own structures.
//
// read_spaces() belongs inside a safepoint, does not allocate, and believes nothing: bounds that do
// not fit into the reserved heap or are in the wrong order make it say false.
#pragma once

#include <vector>

#include "heap/heap_layout.h"
#include "heap/walk/heap_space.h"

namespace ddm {

// The most that there can be. Outside a safepoint.
std::size_t max_spaces(const HeapLayout& layout);

// `spaces` has room for max_spaces().
bool read_spaces(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept;

}  // namespace ddm
