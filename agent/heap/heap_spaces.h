// The current spaces of the heap, read from the VM's structures.
//
// read_spaces() must be called at a safepoint, does not allocate, and checks what it reads: it
// returns false if bounds lie outside the reserved heap or are in the wrong order.
#pragma once

#include <string>
#include <vector>

#include "heap/heap_layout.h"
#include "heap/walk/heap_space.h"

namespace ddm {

// "" or an entry of the VM's tables that leads to unreadable memory. To be called outside of a
// safepoint before the other two, which read without such a check.
std::string unreadable_in(const HeapLayout& layout);

// An upper bound of their number. Outside of a safepoint.
std::size_t max_spaces(const HeapLayout& layout);

// `spaces` has room for max_spaces().
bool read_spaces(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept;

}  // namespace ddm
