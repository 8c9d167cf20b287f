#include "time/calls/open_calls.h"

#include <unordered_set>

namespace ddm {

void OpenCalls::checked() noexcept {
  due_at_ = std::max(kFirstDue, 2 * depth());
  entered_ = 0;
}

void OpenCalls::clear() noexcept {
  depth_.store(0, std::memory_order_release);
  outermost_.fill(0);
}

void OpenCalls::count_from(Ticks from) noexcept {
  if (std::exchange(counts_from_, from) == from) return;
  for (std::size_t i = depth(); i-- > 0;) {
    Call& call = at(i);
    if (call.begin.get() >= from) continue;
    call.callees.set(0);
    call.begin.set(from);
  }
}

std::optional<std::vector<bool>> OpenCalls::which_still_run(
    std::vector<MethodNumber> on_stack) const {
  const std::size_t depth = this->depth();
  std::unordered_set<MethodNumber> entered;
  for (std::size_t i = 0; i < depth; ++i) entered.insert(method(i));
  std::erase_if(on_stack, [&](MethodNumber one) { return !entered.contains(one); });
  std::vector<bool> runs(depth, false);
  std::size_t found = 0;
  for (std::size_t i = depth; i-- > 0 && found < on_stack.size();) {
    runs[i] = method(i) == on_stack[found];
    if (runs[i]) ++found;
  }
  if (found != on_stack.size()) return {};
  return runs;
}

}  // namespace ddm
