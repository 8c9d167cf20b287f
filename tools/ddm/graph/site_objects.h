// The objects of a heap dump that were allocated at a site: of its class, with its stack.
//
// A dump has no bytecode indices and does not mark cut frames, so stacks are compared by class,
// method, signature and line.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/heap_graph.h"
#include "json_values.h"

namespace ddm {

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
