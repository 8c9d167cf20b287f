// Retained sizes: the bytes freed together with an object, which are its own and those of all
// objects that it dominates (the dominator tree; Georgiadis: Linear-Time Algorithms for Dominators
// and Related Problems, the semi-NCA algorithm). Objects that only soft, weak, final or phantom
// references reach count as unreachable.
//
// 44 bytes an object and 4 a reference besides the graph. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/heap_graph.h"

namespace ddm {

class RetainedSizes {
 public:
  explicit RetainedSizes(const HeapGraph& graph);

  // 0: the object is unreachable.
  std::uint64_t bytes(ObjectNumber object) const { return retained_[place_of_[object]]; }

  // For each group (group_of[object] < `groups`): the sum of the retained sizes of its objects that
  // no other object of the group dominates. An object that two of them hold together is in neither.
  std::vector<std::uint64_t> by_group(std::span<const std::uint32_t> group_of,
                                      std::size_t groups) const;

 private:
  // Reachable objects in the order of a depth-first search from all roots (which have place 0);
  // kNotHeld: unreachable.
  using Place = std::uint32_t;

  void search(const HeapGraph& graph);
  void find_dominators(const HeapGraph& graph);

  std::vector<Place> place_of_;          // by object
  std::vector<ObjectNumber> object_at_;  // by place
  std::vector<Place> parent_, dominator_;
  std::vector<std::uint64_t> retained_;
};

}  // namespace ddm
