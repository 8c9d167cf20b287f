// Paths from a root to objects, as text and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/root_paths.h"
#include "output.h"

namespace ddm {

// [{root, kind, via, count}], with "weak": true where it goes through a reference of java.lang.ref.
Json paths_json(std::span<const RootPath> paths);

// "static shop.Shop.ALL -> java.util.HashMap.table -> java.util.HashMap$Node[]".
std::string path_line(const RootPath& path);

// Why an object that was alive may have no path.
inline constexpr const char* kNoPath =
    "no path in the dump, as of what waits for the collector, and of what dumps leave out: the "
    "fields "
    "of java.lang.Class, and on JDK 21 the stacks of virtual threads that wait";

// The first `top` paths as a list, and the number of objects without one.
void print_paths(std::span<const RootPath> paths, std::size_t top, std::int64_t objects);

}  // namespace ddm
