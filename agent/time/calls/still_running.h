// Determines which open calls are still running, by the methods on the stack.
#pragma once

#include <optional>
#include <vector>

#include "time/calls/open_calls.h"

namespace ddm {

// `on_stack`: innermost first; may contain methods that were never entered through a hook. nullopt:
// the open calls do not match the stack, and should be kept.
std::optional<std::vector<bool>> which_still_run(const OpenCalls& calls,
                                                 std::vector<MethodNumber> on_stack);

}  // namespace ddm
