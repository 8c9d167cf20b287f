#include "heap/walk/heap_walk.h"

namespace ddm {

HeapWalk::HeapWalk(const ObjectLayout& layout, const KlassTable& table, HeapMap& map,
                   std::size_t first_log, std::size_t most_spaces)
    : map_(map),
      first_log_(first_log),
      lanes_{LinearWalk{layout, table, map.logs[first_log]},
             LinearWalk{layout, table, map.logs[first_log + 1]},
             LinearWalk{layout, table, map.logs[first_log + 2]}} {
  static_assert(kLogs == 3);
  areas_.reserve(most_spaces);
}

void HeapWalk::walk(const std::vector<HeapSpace>& spaces, std::uintptr_t base,
                    std::atomic<std::size_t>& next_space) noexcept {
  std::array<const HeapSpace*, kLogs> current{};
  const auto close = [&](std::size_t lane) {
    if (current[lane] == nullptr) return;
    const std::uintptr_t end = lanes_[lane].at();
    const std::uintptr_t end_of_space = current[lane]->end;
    if (end < end_of_space) map_.logs[first_log_ + lane].add(kFreeState, end_of_space - end);
    current[lane] = nullptr;
  };
  const auto begin_next = [&](std::size_t lane) {
    for (;;) {
      const std::size_t index = next_space.fetch_add(1, std::memory_order_relaxed);
      if (index >= spaces.size()) return false;
      const HeapSpace& space = spaces[index];
      if (space.bottom == space.end) continue;
      current[lane] = &space;
      const std::size_t log = first_log_ + lane;
      areas_.push_back({space.bottom - base, space.end - space.bottom, log, map_.logs[log].size(),
                        space.free_region});
      lanes_[lane].begin(space.bottom, space.top, space.limit);
      return true;
    }
  };
  // Interleaved as long as there is a space for every lane.
  for (;;) {
    bool all = true;
    for (std::size_t lane = 0; lane < lanes_.size() && all; ++lane) {
      while (all && lanes_[lane].done()) {
        close(lane);
        all = begin_next(lane);
      }
    }
    if (!all) break;
    LinearWalk::walk_interleaved(lanes_);
  }
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (current[lane] == nullptr) continue;
    lanes_[lane].finish();
    close(lane);
  }
}

Gaps HeapWalk::gaps() const {
  Gaps sum;
  for (const LinearWalk& lane : lanes_) sum += lane.gaps();
  return sum;
}

}  // namespace ddm
