// Walks a heap's spaces, several at a time.
//
// An object's end is known once its class and length are read, and only then can the next one be
// read: a single walk mostly waits for memory. Three interleaved walks through different spaces
// overlap their cache misses. Each writes its own log, which its areas refer to.
//
// Runs at a safepoint: no allocation, no locks. Several threads may walk the same spaces, each with
// its own HeapWalk: they take the next space from one counter.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "heap/walk/heap_map.h"
#include "heap/walk/heap_space.h"
#include "heap/walk/linear_walk.h"

namespace ddm {

class HeapWalk {
 public:
  static constexpr std::size_t kLogs = LinearWalk::kInterleaved;

  // Writes to kLogs reserved logs of the map, from `first_log` on. `most_spaces`: upper bound of the
  // spaces that it may walk.
  HeapWalk(const ObjectLayout& layout, const KlassTable& table, HeapMap& map, std::size_t first_log,
           std::size_t most_spaces);

  // Walks until no space is left. Positions in the map are bytes from `base`.
  void walk(const std::vector<HeapSpace>& spaces, std::uintptr_t base,
            std::atomic<std::size_t>& next_space) noexcept;

  // The areas that it has walked.
  const std::vector<HeapArea>& areas() const { return areas_; }
  Gaps gaps() const;
  // Whether `known` is true for one of the class words at which gaps began.
  template <typename Known>
  bool any_unknown(Known known) const {
    return std::ranges::any_of(lanes_, [&known](const LinearWalk& lane) {
      return std::ranges::any_of(lane.unknown(), known);
    });
  }

 private:
  HeapMap& map_;
  const std::size_t first_log_;
  std::array<LinearWalk, kLogs> lanes_;
  std::vector<HeapArea> areas_;
};

}  // namespace ddm
