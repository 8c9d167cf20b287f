// Recognizes allocations made once, however often the code runs: at the first use of a class, the
// linkage of a call site, the first reflective call of a method. Whether they occur depends on what
// ran before, so comparisons of two runs separate them.
//
// Pure functions.
#pragma once

#include <string_view>

namespace ddm {

// Whether a frame makes its stack one of a first use: class initializers, class loaders, linkage of
// invokedynamic and method handles, caches of java.lang.reflect and Class.
bool is_of_first_use(std::string_view class_name, std::string_view method);

// Whether the JDK makes something there only because threads meet just so: who waits for a lock or
// a result, workers that a pool adds, cells of contended counters. It comes or does not come by
// timing. Of a stack only the innermost frames count for that, up to the first one that is not the
// JDK's: further out such a frame only runs what the program has handed to it.
bool is_of_waiting(std::string_view class_name, std::string_view method);

}  // namespace ddm
