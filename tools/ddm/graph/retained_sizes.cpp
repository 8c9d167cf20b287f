#include "graph/retained_sizes.h"

#include <algorithm>
#include <numeric>

namespace ddm {
namespace {

constexpr std::uint32_t kRootPlace = 0;  // of what is not found too: it retains itself alone
constexpr ObjectNumber kNoObject = HeapGraph::kNone;

}  // namespace

RetainedSizes::RetainedSizes(const HeapGraph& graph) {
  search(graph);
  find_dominators(graph);
  retained_.resize(object_at_.size());
  for (Place place = static_cast<Place>(object_at_.size()) - 1; place > kRootPlace; --place) {
    retained_[place] += graph.bytes_of(object_at_[place]);
    retained_[dominator_[place]] += retained_[place];
  }
  retained_[kRootPlace] = 0;
}

void RetainedSizes::search(const HeapGraph& graph) {
  struct Open {
    ObjectNumber object;
    std::uint32_t next;
  };
  place_of_.resize(graph.size());
  object_at_.push_back(kNoObject);
  parent_.push_back(kRootPlace);
  std::vector<Open> open;
  const auto enter = [&](ObjectNumber object, Place parent) {
    if (object == kNoObject || place_of_[object] != kRootPlace) return;
    place_of_[object] = static_cast<Place>(object_at_.size());
    object_at_.push_back(object);
    parent_.push_back(parent);
    open.push_back({object, 0});
  };
  for (const HeapGraph::Root& root : graph.roots()) {
    enter(root.object, kRootPlace);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next == graph.references(top.object)) {
        open.pop_back();
        continue;
      }
      const ObjectNumber object = top.object;
      const std::uint32_t at = top.next++;
      if (!graph.is_weak(object, at)) enter(graph.reference(object, at), place_of_[object]);
    }
  }
}

void RetainedSizes::find_dominators(const HeapGraph& graph) {
  const std::size_t count = object_at_.size();
  // Who refers to each, by place.
  std::vector<std::uint32_t> first(count + 1);
  const auto each_reference = [&](auto use) {
    for (Place place = 1; place < count; ++place) {
      const ObjectNumber object = object_at_[place];
      for (std::uint32_t at = 0; at < graph.references(object); ++at) {
        const ObjectNumber to = graph.reference(object, at);
        if (to != kNoObject && !graph.is_weak(object, at)) use(place, place_of_[to]);
      }
    }
    for (const HeapGraph::Root& root : graph.roots()) use(kRootPlace, place_of_[root.object]);
  };
  each_reference([&](Place, Place to) { ++first[to + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Place> from(first.back());
  {
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    each_reference([&](Place place, Place to) { from[next[to]++] = place; });
  }

  // `best`: of the semidominators seen on the way up to `above`, the place with the least.
  std::vector<Place> semi(count), best(count), above = parent_;
  std::iota(semi.begin(), semi.end(), 0);
  std::iota(best.begin(), best.end(), 0);
  std::vector<Place> way;
  const auto least_above = [&](Place place, Place now) {
    if (place <= now) return place;
    for (Place at = place; above[at] > now; at = above[at]) way.push_back(at);
    for (; !way.empty(); way.pop_back()) {
      const Place at = way.back(), over = above[at];
      if (semi[best[over]] < semi[best[at]]) best[at] = best[over];
      above[at] = above[over];
    }
    return best[place];
  };
  for (Place place = static_cast<Place>(count) - 1; place > kRootPlace; --place) {
    for (std::uint32_t i = first[place]; i < first[place + 1]; ++i) {
      semi[place] = std::min(semi[place], semi[least_above(from[i], place)]);
    }
  }
  dominator_ = parent_;
  for (Place place = 1; place < count; ++place) {
    while (dominator_[place] > semi[place]) dominator_[place] = dominator_[dominator_[place]];
  }
}

std::vector<std::uint64_t> RetainedSizes::by_group(std::span<const std::uint32_t> group_of,
                                                   std::size_t groups) const {
  const std::size_t count = object_at_.size();
  std::vector<Place> child(count), sibling(count);  // kRootPlace: none
  for (Place place = static_cast<Place>(count) - 1; place > kRootPlace; --place) {
    sibling[place] = child[dominator_[place]];
    child[dominator_[place]] = place;
  }
  std::vector<std::uint64_t> result(groups);
  std::vector<std::uint32_t> inside(groups);
  // Down the tree and up again: an object is counted where none of its group stands above it.
  for (Place at = child[kRootPlace]; at != kRootPlace;) {
    const std::uint32_t group = group_of[object_at_[at]];
    if (inside[group]++ == 0) result[group] += retained_[at];
    if (child[at] != kRootPlace) {
      at = child[at];
      continue;
    }
    for (; at != kRootPlace; at = dominator_[at]) {
      --inside[group_of[object_at_[at]]];
      if (sibling[at] == kRootPlace) continue;
      at = sibling[at];
      break;
    }
  }
  return result;
}

}  // namespace ddm
