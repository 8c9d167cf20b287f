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
bool is_first_use(std::string_view class_name, std::string_view method);

// Whether a JDK frame allocates only under contention, so by timing: waiters for a lock or a result,
// workers that a pool adds, cells of contended counters. Only the innermost JDK frames of a stack
// count: further out, such a frame merely runs the program's task.
bool is_contention(std::string_view class_name, std::string_view method);

}  // namespace ddm
