#include "time/calls/still_running.h"

#include <unordered_set>

namespace ddm {

std::optional<std::vector<bool>> which_still_run(const OpenCalls& calls,
                                                 std::vector<MethodNumber> on_stack) {
  const std::size_t depth = calls.depth();
  std::unordered_set<MethodNumber> entered;
  for (std::size_t i = 0; i < depth; ++i) entered.insert(calls.method(i));
  std::erase_if(on_stack, [&](MethodNumber method) { return !entered.contains(method); });
  std::vector<bool> runs(depth, false);
  std::size_t found = 0;
  for (std::size_t i = depth; i-- > 0 && found < on_stack.size();) {
    runs[i] = calls.method(i) == on_stack[found];
    if (runs[i]) ++found;
  }
  if (found != on_stack.size()) return {};
  return runs;
}

}  // namespace ddm
