// Maps of a heap as a self-contained HTML page: a square for each cell, whose contents are shown
// under the pointer, and a slider over the collections.
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
