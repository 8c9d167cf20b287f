// Selects a class of a heap dump by a user's text, and its objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "graph/heap_graph.h"

namespace ddm {

struct ClassChoice {
  std::string name;
  std::vector<ObjectNumber> objects;  // of all classes of that name, with any loader
};

// `wanted`: the full name, or its end after a '.' or '$'. The error lists similar names.
Result<ClassChoice> choose_class(const HeapGraph& graph, std::string_view wanted);

}  // namespace ddm
