#include "graph/retained_sizes.h"

#include <algorithm>
#include <numeric>

namespace ddm {
namespace {

constexpr std::uint32_t kVirtualRoot = 0;  // above all roots; also stands for unreachable objects
constexpr ObjectNumber kNoObject = HeapGraph::kNone;

}  // namespace

RetainedSizes::RetainedSizes(const HeapGraph& graph) {
  search(graph);
  find_dominators(graph);
  retained_.resize(objects_.size());
  for (Preorder node = static_cast<Preorder>(objects_.size()) - 1; node > kVirtualRoot; --node) {
    retained_[node] += graph.bytes_of(objects_[node]);
    retained_[dominator_[node]] += retained_[node];
  }
  retained_[kVirtualRoot] = 0;
}

void RetainedSizes::search(const HeapGraph& graph) {
  struct Open {
    ObjectNumber object;
    std::uint32_t next;
  };
  preorder_of_.resize(graph.size());
  objects_.push_back(kNoObject);
  parent_.push_back(kVirtualRoot);
  std::vector<Open> open;
  const auto enter = [&](ObjectNumber object, Preorder parent) {
    if (object == kNoObject || preorder_of_[object] != kVirtualRoot) return;
    preorder_of_[object] = static_cast<Preorder>(objects_.size());
    objects_.push_back(object);
    parent_.push_back(parent);
    open.push_back({object, 0});
  };
  for (const HeapGraph::Root& root : graph.roots()) {
    enter(root.object, kVirtualRoot);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next == graph.references(top.object)) {
        open.pop_back();
        continue;
      }
      const ObjectNumber object = top.object;
      const std::uint32_t at = top.next++;
      if (!graph.is_weak(object, at)) enter(graph.reference(object, at), preorder_of_[object]);
    }
  }
}

void RetainedSizes::find_dominators(const HeapGraph& graph) {
  const std::size_t count = objects_.size();
  // The referrers of each node.
  std::vector<std::uint32_t> first(count + 1);
  const auto each_reference = [&](auto use) {
    for (Preorder node = 1; node < count; ++node) {
      const ObjectNumber object = objects_[node];
      for (std::uint32_t at = 0; at < graph.references(object); ++at) {
        const ObjectNumber to = graph.reference(object, at);
        if (to != kNoObject && !graph.is_weak(object, at)) use(node, preorder_of_[to]);
      }
    }
    for (const HeapGraph::Root& root : graph.roots()) use(kVirtualRoot, preorder_of_[root.object]);
  };
  each_reference([&](Preorder, Preorder to) { ++first[to + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Preorder> from(first.back());
  {
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    each_reference([&](Preorder node, Preorder to) { from[next[to]++] = node; });
  }

  // `min_semi`: the node with the least semidominator on the path up to `ancestor`.
  std::vector<Preorder> semi(count), min_semi(count), ancestor = parent_;
  std::iota(semi.begin(), semi.end(), 0);
  std::iota(min_semi.begin(), min_semi.end(), 0);
  std::vector<Preorder> path;
  const auto min_semi_above = [&](Preorder node, Preorder now) {
    if (node <= now) return node;
    for (Preorder at = node; ancestor[at] > now; at = ancestor[at]) path.push_back(at);
    for (; !path.empty(); path.pop_back()) {
      const Preorder at = path.back(), over = ancestor[at];
      if (semi[min_semi[over]] < semi[min_semi[at]]) min_semi[at] = min_semi[over];
      ancestor[at] = ancestor[over];
    }
    return min_semi[node];
  };
  for (Preorder node = static_cast<Preorder>(count) - 1; node > kVirtualRoot; --node) {
    for (std::uint32_t i = first[node]; i < first[node + 1]; ++i) {
      semi[node] = std::min(semi[node], semi[min_semi_above(from[i], node)]);
    }
  }
  dominator_ = parent_;
  for (Preorder node = 1; node < count; ++node) {
    while (dominator_[node] > semi[node]) dominator_[node] = dominator_[dominator_[node]];
  }
}

std::vector<std::uint64_t> RetainedSizes::by_group(std::span<const std::uint32_t> group_of,
                                                   std::size_t groups) const {
  const std::size_t count = objects_.size();
  std::vector<Preorder> child(count), sibling(count);  // kVirtualRoot: none
  for (Preorder node = static_cast<Preorder>(count) - 1; node > kVirtualRoot; --node) {
    sibling[node] = child[dominator_[node]];
    child[dominator_[node]] = node;
  }
  std::vector<std::uint64_t> result(groups);
  std::vector<std::uint32_t> inside(groups);
  // A walk over the dominator tree: an object is counted if no ancestor is of its group.
  for (Preorder at = child[kVirtualRoot]; at != kVirtualRoot;) {
    const std::uint32_t group = group_of[objects_[at]];
    if (inside[group]++ == 0) result[group] += retained_[at];
    if (child[at] != kVirtualRoot) {
      at = child[at];
      continue;
    }
    for (; at != kVirtualRoot; at = dominator_[at]) {
      --inside[group_of[objects_[at]]];
      if (sibling[at] == kVirtualRoot) continue;
      at = sibling[at];
      break;
    }
  }
  return result;
}

}  // namespace ddm
