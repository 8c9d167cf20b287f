// Maps of a heap as a page: a square a tile, told under the pointer, and a slider from one collection
// to the next. One file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "heap/heap_maps.h"

namespace ddm {

struct HeapFrame {
  double seconds = 0;  // since the first
  HeapPicture map;
};

std::string heap_page(const std::string& title, const std::vector<HeapFrame>& frames);

}  // namespace ddm
