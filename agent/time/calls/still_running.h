// Which of the open calls still run, by the methods that are on the stack.
#pragma once

#include <optional>
#include <vector>

#include "time/calls/open_calls.h"

namespace ddm {

// `on_stack`: innermost first; some may never have been entered through a hook. None: the calls do
// not fit it, and are better left as they are.
std::optional<std::vector<bool>> which_still_run(const OpenCalls& calls,
                                                 std::vector<MethodNumber> on_stack);

}  // namespace ddm
