// What would be free if an object were not held: itself, and all that is reached through it alone
// (the dominator tree; Georgiadis: Linear-Time Algorithms for Dominators and Related Problems, the
// semi-NCA algorithm). What is held by soft, weak and other references alone is held by nothing here.
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

  // 0: it is not held.
  std::uint64_t bytes(ObjectNumber object) const { return retained_[place_of_[object]]; }

  // By group of objects (group_of[object] is one of `groups`): what those hold that stand in no
  // other of the same group. A thing that two of them hold, and nothing else, is in neither.
  std::vector<std::uint64_t> by_group(std::span<const std::uint32_t> group_of,
                                      std::size_t groups) const;

 private:
  // Objects that are held, by their places in the order of a search in depth from all roots, which
  // has place 0 itself; kNotHeld: what it has not found.
  using Place = std::uint32_t;

  void search(const HeapGraph& graph);
  void find_dominators(const HeapGraph& graph);

  std::vector<Place> place_of_;          // by object
  std::vector<ObjectNumber> object_at_;  // by place
  std::vector<Place> parent_, dominator_;
  std::vector<std::uint64_t> retained_;
};

}  // namespace ddm
