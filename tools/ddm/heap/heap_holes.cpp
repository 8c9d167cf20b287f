#include "heap/heap_holes.h"

#include <algorithm>
#include <bit>

#include "heap/heap_cells.h"

namespace ddm {

HeapHoles HeapHoles::of(const std::vector<HeapSegment>& segments) {
  HeapHoles holes;
  std::uint64_t hole = 0;
  const auto end_hole = [&] {
    if (hole == 0) return;
    ++holes.count;
    holes.bytes += hole;
    holes.largest = std::max(holes.largest, hole);
    ++holes.by_size[std::bit_floor(hole)];
    hole = 0;
  };
  std::vector<const HeapSegment*> in_order;
  for (const HeapSegment& segment : segments) in_order.push_back(&segment);
  std::ranges::stable_sort(in_order, {}, [](const HeapSegment* one) { return position_of(*one); });
  std::uint64_t end = 0;
  for (const HeapSegment* const segment : in_order) {
    if (position_of(*segment) != end) end_hole();
    for (const HeapRun& run : segment->runs()) {
      if (run.state == kFreeState) {
        hole += run.units * segment->unit;
      } else {
        end_hole();
      }
    }
    end = position_of(*segment) + std::uint64_t{segment->units} * segment->unit;
  }
  end_hole();
  return holes;
}

}  // namespace ddm
