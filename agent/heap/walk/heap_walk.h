// A walk through a heap's spaces, several of them at a time.
//
// Where an object ends is known once its class and its length have been read, and only there the
// next one can be looked at: a single walk mostly waits for memory. Three walks through different
// spaces wait at the same time. Each writes a log of its own; the areas say which.
//
// Runs while the program stands still: no allocation, no locks. Several threads may walk the same
// spaces, each with a HeapWalk of its own: they take the next space from one counter.
#pragma once

#include <atomic>
#include <vector>

#include "heap/walk/heap_map.h"
#include "heap/walk/heap_space.h"
#include "heap/walk/linear_walk.h"

namespace ddm {

class HeapWalk {
 public:
  static constexpr std::size_t kLogs = LinearWalk::kAbreast;

  // Writes to kLogs logs of the map, from `first_log` on, which are reserved. `most_spaces`: that
  // it may have to walk.
  HeapWalk(const ObjectLayout& layout, const KlassTable& table, HeapMap& map, std::size_t first_log,
           std::size_t most_spaces);

  // Until no space is left. Positions in the map are bytes from `base`.
  void walk(const std::vector<HeapSpace>& spaces, std::uintptr_t base,
            std::atomic<std::size_t>& next_space) noexcept;

  // What it has walked.
  const std::vector<HeapArea>& areas() const { return areas_; }
  Gaps gaps() const;
  // Whether `known` says yes to one of the class words at which gaps began.
  template <typename Known>
  bool any_unknown(Known known) const {
    for (const LinearWalk& lane : lanes_) {
      for (std::size_t i = 0; i < lane.unknown_count(); ++i) {
        if (known(lane.unknown(i))) return true;
      }
    }
    return false;
  }

 private:
  HeapMap& map_;
  const std::size_t first_log_;
  std::array<LinearWalk, kLogs> lanes_;
  std::vector<HeapArea> areas_;
};

}  // namespace ddm
