// The shortest way from what the VM holds on to (a thread, a local variable, a static field, JNI) to
// each object of a heap dump, and ways that look alike put together.
//
// A way begins at the last static field that it goes through: of a class that lives that field is
// what a person can change. What is held by nothing but soft, weak and other references of
// java.lang.ref has a way through these, and what is held by nothing at all (it came up after the
// collection, or waits for one) has none. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/heap_graph.h"

namespace ddm {

struct RootPath {
  std::string root;  // "static shop.Shop.SESSIONS", "local variable of shop.Shop.serve, ..."
  std::string kind;  // static, thread, local, jni, monitor, class, other
  std::vector<std::string> via;  // "java.util.HashMap.table", ...
  bool weak = false;             // through a soft, weak or other reference
  std::int64_t count = 0;        // of objects
};

class RootPaths {
 public:
  explicit RootPaths(HeapGraph& graph);

  // Those of the objects, most of them first. What has no way is in none.
  std::vector<RootPath> of(std::span<const ObjectNumber> objects);

  bool strongly_held(ObjectNumber object) const { return reach_[object] == Reach::kStrong; }
  // What would be free if none of the objects were held: themselves, and what they alone hold.
  std::uint64_t retained_by(std::span<const ObjectNumber> objects) const;

 private:
  static constexpr ObjectNumber kNone = HeapGraph::kNone;
  enum class Reach : std::uint8_t { kNot, kStrong, kWeak };
  // A way, shared with those that begin likewise: the way before, and a step.
  struct Step {
    std::uint32_t before;
    std::uint32_t name;
    bool weak;
  };

  enum class Follow { kStaticsOfClasses, kAll, kWeakToo };
  void spread(std::vector<ObjectNumber>& from, Follow follow, Reach reach);
  std::uint32_t step_to(ObjectNumber object);
  std::uint32_t interned(std::uint32_t before, std::string name, bool weak);
  // The place of a reference of `from` that leads to `to`.
  std::uint32_t place_of(ObjectNumber from, ObjectNumber to) const;
  RootPath described(std::uint32_t step);
  void describe_root(const HeapGraph::Root& root, RootPath& path);

  HeapGraph& graph_;
  std::vector<Reach> reach_;
  std::vector<ObjectNumber> before_;     // on the way; the object itself: a root
  std::vector<std::uint32_t> root_of_;   // the place among the roots, of those that are one
  std::vector<std::uint32_t> steps_of_;  // by object, once asked for
  std::vector<Step> steps_;
  std::vector<std::string> step_names_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> step_numbers_;
};

}  // namespace ddm
