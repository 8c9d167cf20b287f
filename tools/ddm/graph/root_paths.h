// Shortest paths from the GC roots (threads, local variables, static fields, JNI) to the objects of
// a heap dump, with equal paths merged.
//
// A path is shown from the last static field on it, since that field is what a person can change;
// not if there are several such classes, each of a loader that something holds.
// An object that is only reachable through references of java.lang.ref has a path through these; an
// unreachable object (allocated after the collection, or not yet collected) has none. Long chains are
// shortened: of links that recur a few rounds are shown, and 200 steps in all. Paths from threads of
// one pool, and from virtual threads, are one where they are equal otherwise. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/heap_graph.h"
#include "graph/root_names.h"

namespace ddm {

struct RootPath {
  // "static shop.Shop.SESSIONS", "local variable of shop.Shop.serve, 4 threads "web-*""
  std::string root;
  std::string kind;              // of a RootName
  std::vector<std::string> via;  // "java.util.HashMap.table", ...
  bool weak = false;             // through a soft, weak or other reference
  std::int64_t count = 0;        // of objects
  std::string like;              // equal for roots that differ in the number of threads alone
};

class RootPaths {
 public:
  explicit RootPaths(HeapGraph& graph);

  // The paths of the objects, the most frequent first. Objects without a path are left out.
  std::vector<RootPath> of(std::span<const ObjectNumber> objects);

  bool strongly_held(ObjectNumber object) const { return reach_[object] == Reach::kStrong; }
  // The retained size of all the objects together.
  std::uint64_t retained_by(std::span<const ObjectNumber> objects) const;

 private:
  static constexpr ObjectNumber kNone = HeapGraph::kNone;
  enum class Reach : std::uint8_t { kNot, kStrong, kWeak };
  // A node of the tree of paths: the path before, and one step.
  struct Step {
    std::uint32_t before;
    std::uint32_t name;
    std::uint32_t depth;
    bool weak;
  };

  enum class Follow { kStaticsOfClasses, kClassesToo, kBorrowedToo, kWeakToo };  // each more
  void search(std::vector<ObjectNumber>& from, Follow follow, Reach reach, std::size_t first = 0);
  void find_repeated_classes();
  bool is_repeated(ObjectNumber klass) const { return repeated_[graph_.class_of(klass)]; }
  // `before`, `steps`: before_ and steps_of_, or those of held_by_.
  std::uint32_t step_to(ObjectNumber object, const std::vector<ObjectNumber>& before,
                        std::vector<std::uint32_t>& steps);
  std::uint32_t interned(std::uint32_t before, std::string name, bool weak);
  // Whether it and the two objects before it are of one class, linked by fields.
  bool continues_chain(const std::vector<ObjectNumber>& before, ObjectNumber last) const;
  std::uint32_t step_of_chain(const std::vector<ObjectNumber>& before,
                              const std::vector<std::uint32_t>& steps, ObjectNumber from) const;
  // The position of a reference in `from` that points to `to`.
  std::uint32_t reference_index(ObjectNumber from, ObjectNumber to) const;
  // The name of a reference; of a thread's value of a ThreadLocal with the ThreadLocal.
  std::string step_name(ObjectNumber from, std::uint32_t index) const;
  std::string thread_local_of(ObjectNumber entry) const;
  // A step's path but for its root.
  RootPath path_to(std::uint32_t step) const;
  RootName root_of(std::uint32_t step);

  HeapGraph& graph_;
  RootNames roots_;
  std::vector<Reach> reach_;
  std::vector<ObjectNumber> before_;     // the predecessor on the path; the object itself: a root
  std::vector<std::uint32_t> steps_of_;  // by object, filled on demand
  // The same of the shortest paths from the roots proper, that begin at no other class.
  std::vector<ObjectNumber> held_by_;
  std::vector<std::uint32_t> steps_of_held_;
  std::vector<bool> repeated_;  // by class number: see find_repeated_classes()
  std::vector<Step> steps_;
  std::vector<std::string> step_names_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> step_numbers_;
};

}  // namespace ddm
