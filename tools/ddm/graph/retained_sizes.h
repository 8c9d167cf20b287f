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
  std::uint64_t bytes(ObjectNumber object) const { return retained_[preorder_of_[object]]; }

  // For each group (group_of[object] < `groups`): the sum of the retained sizes of its objects that
  // no other object of the group dominates. An object that only two of them together keep alive is
  // counted for neither.
  std::vector<std::uint64_t> by_group(std::span<const std::uint32_t> group_of,
                                      std::size_t groups) const;

 private:
  // The number of a reachable object in a depth-first search from kVirtualRoot (0), which refers to
  // all GC roots and stands for unreachable objects, too.
  using Preorder = std::uint32_t;

  void search(const HeapGraph& graph);
  void find_dominators(const HeapGraph& graph);

  std::vector<Preorder> preorder_of_;  // by object
  std::vector<ObjectNumber> objects_;  // by preorder number
  std::vector<Preorder> parent_, dominator_;
  std::vector<std::uint64_t> retained_;
};

}  // namespace ddm
