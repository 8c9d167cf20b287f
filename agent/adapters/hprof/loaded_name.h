// The build installs this library under a second name, libhprof.so; loaded by that name, it takes
// hprof's options.
#pragma once

#include <string_view>

namespace ddm {

// Whether this process loaded the library under that name.
bool loaded_as_hprof();

// The path's file name begins with "libhprof".
bool is_hprof_name(std::string_view path);

}  // namespace ddm
