#include "heap/walk/heap_space.h"

#include <algorithm>

namespace ddm {

bool cut_at(std::vector<HeapHole>& holes, const std::vector<HeapSpace>& spaces,
            std::vector<HeapSpace>& pieces) noexcept {
  pieces.clear();
  if (pieces.capacity() < spaces.size() + holes.size()) return false;
  const auto in_order = [](const HeapHole& a, const HeapHole& b) { return a.begin < b.begin; };
  std::ranges::sort(holes, in_order);
  std::size_t placed = 0;
  for (const HeapSpace& space : spaces) {
    HeapSpace rest = space;
    auto hole = std::lower_bound(holes.begin(), holes.end(), HeapHole{space.bottom, 0}, in_order);
    for (; hole != holes.end() && hole->begin < space.top; ++hole, ++placed) {
      if (hole->begin < rest.bottom || hole->end <= hole->begin || hole->end > space.top) {
        return false;
      }
      pieces.push_back({rest.bottom, hole->begin, hole->begin, hole->end, false, rest.role});
      rest.bottom = hole->end;
    }
    pieces.push_back(rest);
  }
  return placed == holes.size();
}

}  // namespace ddm
