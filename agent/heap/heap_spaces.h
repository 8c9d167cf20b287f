// The pieces that the heap consists of just now, read from the VM's own structures.
//
// read_spaces() belongs inside a safepoint, does not allocate, and believes nothing: bounds that do
// not fit into the reserved heap or are in the wrong order make it say false.
#pragma once

#include <vector>

#include "heap/heap_layout.h"

namespace ddm {

struct HeapSpace {
  std::uintptr_t bottom = 0;
  std::uintptr_t top = 0;    // objects begin below
  std::uintptr_t limit = 0;  // and end here at the latest; a humongous one lies across regions
  std::uintptr_t end = 0;    // free memory up to here
  bool free_region = false;  // of G1: empty, and perhaps not committed any more
};

// The most that there can be. Outside a safepoint.
std::size_t max_spaces(const HeapLayout& layout);

// `spaces` has room for max_spaces().
bool read_spaces(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept;

}  // namespace ddm
