// The build leaves this library under a second name, libhprof.so. Whoever loads it by that name
// gives it hprof's options.
#pragma once

#include <string_view>

namespace ddm {

// Of the one library that the process has; the name it was loaded under.
bool loaded_as_hprof();

// Of a path: its last part begins with "libhprof".
bool is_hprof_name(std::string_view path);

}  // namespace ddm
