// The number of a stack, which is its innermost frame's node in a CallTree.
#pragma once

#include <cstdint>

namespace ddm {

using TraceNumber = std::uint32_t;
inline constexpr TraceNumber kNoTrace = 0;     // nothing is known of the stack
inline constexpr TraceNumber kEmptyTrace = 1;  // no Java frame: where threads begin
inline constexpr TraceNumber kCutTrace = 2;    // in place of the frames beyond the depth

}  // namespace ddm
