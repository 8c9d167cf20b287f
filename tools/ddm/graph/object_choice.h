// Chooses objects of a heap dump: those of a class that a user names, and those that were allocated
// at a site.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "graph/heap_graph.h"
#include "json_values.h"

namespace ddm {

struct ClassChoice {
  std::string name;
  std::vector<ObjectNumber> objects;  // of all classes of that name, with any loader
};

// `wanted`: the full name, or its end after a '.' or '$'. The error lists similar names.
Result<ClassChoice> choose_class(const HeapGraph& graph, std::string_view wanted);

// The objects of a class with the stack of a site, in a dump of this agent. Frames are compared by
// class, method, signature, line and bytecode index, since a line may have several sites. A dump
// does not mark cut frames.
class SiteObjects {
 public:
  explicit SiteObjects(HeapGraph& graph) : graph_(graph) {}

  // `stack`: as in jsonl.
  std::vector<ObjectNumber> of(const std::string& class_name, const Json& stack);

 private:
  const std::string& text_of_stack(std::uint32_t trace);

  HeapGraph& graph_;
  std::unordered_map<std::uint32_t, std::string> texts_;  // of stacks
};

}  // namespace ddm
