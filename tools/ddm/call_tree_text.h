// The calls of a trace as a tree, for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "trace_sums.h"

namespace ddm {

// A line for each way to a method, callees below their caller, the longest first; ways that took
// less than a hundredth of all are left out, and of the others at most `most` lines are shown. A
// method that calls itself is one line with "(500 deep)", the time of its outermost calls and the
// number of all. "": no method calls another. `titles`: of the methods, by their number.
std::string call_tree_text(const TraceSums& sums,
                           const std::map<std::uint32_t, std::string>& titles, std::size_t most,
                           std::size_t width);

}  // namespace ddm
