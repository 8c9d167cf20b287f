// The current spaces of the heap, read from the VM's structures.
//
// read_spaces() must be called at a safepoint and does not allocate. It returns false if bounds lie
// outside the reserved heap or are in the wrong order.
#pragma once

#include <string>
#include <vector>

#include "heap/heap_layout.h"
#include "heap/walk/heap_space.h"

namespace ddm {

// "" or the vmStructs entry that leads to unreadable memory. Call outside of a safepoint before the
// other two, which read unchecked.
std::string unreadable_in(const HeapLayout& layout);

// An upper bound of the number of spaces. Outside of a safepoint.
std::size_t max_spaces(const HeapLayout& layout);

// `spaces` has capacity for max_spaces().
bool read_spaces(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept;

}  // namespace ddm
