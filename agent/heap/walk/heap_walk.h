// A walk through all of a heap's spaces, several of them at a time.
//
// Where an object ends is known once its class and its length have been read, and only there the
// next one can be looked at: a single walk mostly waits for memory. Three walks through different
// spaces wait at the same time. Each writes a log of its own; the areas say which.
//
// Runs while the program stands still: no allocation, no locks.
#pragma once

#include <vector>

#include "heap/walk/heap_map.h"
#include "heap/walk/heap_space.h"
#include "heap/walk/linear_walk.h"

namespace ddm {

class HeapWalk {
 public:
  // The map's logs are reserved, and its areas have room for all spaces.
  HeapWalk(const ObjectLayout& layout, const KlassTable& table, HeapMap& map);

  // Positions in the map are bytes from `base`.
  void walk(const std::vector<HeapSpace>& spaces, std::uintptr_t base) noexcept;

  std::uint64_t gaps() const;
  std::uint64_t gap_bytes() const;
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
  std::array<LinearWalk, LinearWalk::kAbreast> lanes_;
};

}  // namespace ddm
