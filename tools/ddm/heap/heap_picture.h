// A heap map as a picture for people: one square a cell in reading order, a colour for each kind,
// lighter the more of the cell is free, and a legend with sizes.
#pragma once

#include <string>

#include "heap/heap_cells.h"

namespace ddm {

// The PNG file's bytes.
std::string heap_picture(const std::string& title, const std::vector<HeapSegment>& segments);

}  // namespace ddm
