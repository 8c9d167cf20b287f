// What a path from a GC root begins with, as text: a static field, a class, a variable of a thread.
//
// Threads of a pool, and virtual threads, may hold the same by equal paths: those are one root.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "graph/heap_graph.h"

namespace ddm {

// Whether it keeps an object alive only while a method or a native call runs.
bool is_variable(const HeapGraph::Root& root);

struct RootName {
  std::string kind;                          // static, thread, local, jni, monitor, class, other
  std::string text;                          // its thread is told behind it
  std::optional<std::uint32_t> thread = {};  // serial number
};

class RootNames {
 public:
  explicit RootNames(HeapGraph& graph);

  RootName of_static(const std::string& field) const;
  // Of a root, or of a class, at which paths begin as well.
  RootName of_object(ObjectNumber object);

  // `name`: of the thread, or the pattern of the names of `count` threads, of which this is one.
  std::string text(const RootName& root, const std::string& name, std::size_t count) const;

 private:
  RootName of_root(const HeapGraph::Root& root);
  bool is_virtual(std::uint32_t serial) const;

  HeapGraph& graph_;
  // By object; of several the one that is no variable.
  std::unordered_map<ObjectNumber, std::size_t> roots_;
};

}  // namespace ddm
