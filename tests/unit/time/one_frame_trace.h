// A stack of one frame for tests that only need to tell stacks apart.
#pragma once

#include <array>

#include "stack/tree/call_tree.h"

namespace ddm {

inline TraceNumber trace_of(CallTree& traces, NameId method) {
  const std::array<Frame, 1> frames = {Frame{method, 3}};
  return traces.number_of(frames);
}

}  // namespace ddm
