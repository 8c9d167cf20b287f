#include "heap/walk/heap_walk.h"

namespace ddm {

HeapWalk::HeapWalk(const ObjectLayout& layout, const KlassTable& table, HeapMap& map)
    : map_(map),
      lanes_{LinearWalk{layout, table, map.logs[0]}, LinearWalk{layout, table, map.logs[1]},
             LinearWalk{layout, table, map.logs[2]}} {
  static_assert(LinearWalk::kAbreast == 3 && HeapMap::kLogs == 3);
}

void HeapWalk::walk(const std::vector<HeapSpace>& spaces, std::uintptr_t base) noexcept {
  std::array<const HeapSpace*, LinearWalk::kAbreast> current{};
  auto next = spaces.begin();
  const auto close = [&](std::size_t lane) {
    if (current[lane] == nullptr) return;
    const std::uintptr_t end = lanes_[lane].at();
    if (end < current[lane]->end) map_.logs[lane].add(kFreeState, current[lane]->end - end);
    current[lane] = nullptr;
  };
  const auto begin_next = [&](std::size_t lane) {
    while (next != spaces.end() && next->bottom == next->end) ++next;
    if (next == spaces.end()) return false;
    current[lane] = &*next++;
    const HeapSpace& space = *current[lane];
    map_.areas.push_back({space.bottom - base, space.end - space.bottom, lane,
                          map_.logs[lane].size(), space.free_region});
    lanes_[lane].begin(space.bottom, space.top, space.limit);
    return true;
  };
  // Side by side as long as there is something for every lane.
  for (;;) {
    bool all = true;
    for (std::size_t lane = 0; lane < lanes_.size() && all; ++lane) {
      while (all && lanes_[lane].done()) {
        close(lane);
        all = begin_next(lane);
      }
    }
    if (!all) break;
    LinearWalk::go_abreast(lanes_);
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (current[lane] == nullptr) continue;
    lanes_[lane].finish();
    close(lane);
  }
}

std::uint64_t HeapWalk::gaps() const {
  std::uint64_t sum = 0;
  for (const LinearWalk& lane : lanes_) sum += lane.gaps();
  return sum;
}

std::uint64_t HeapWalk::gap_bytes() const {
  std::uint64_t sum = 0;
  for (const LinearWalk& lane : lanes_) sum += lane.gap_bytes();
  return sum;
}

}  // namespace ddm
