// A heap map as a picture: one square a cell in reading order, coloured by kind, the lighter the
// more of the cell is free, and a legend with sizes.
#pragma once

#include <string>

#include "heap/heap_cells.h"

namespace ddm {

// The PNG file's bytes.
std::string heap_picture(const std::string& title, const std::vector<HeapSegment>& segments);

}  // namespace ddm
