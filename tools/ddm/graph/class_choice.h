// The class of a heap dump that a user means, and its objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "graph/heap_graph.h"

namespace ddm {

struct ClassChoice {
  std::string name;
  std::vector<ObjectNumber> objects;  // of all classes of that name, whatever their loader
};

// `wanted`: the whole name, or its end behind a '.' or '$'. The error names classes that are like it.
Result<ClassChoice> choose_class(const HeapGraph& graph, std::string_view wanted);

}  // namespace ddm
