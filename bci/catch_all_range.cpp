#include "bci/catch_all_range.h"

#include <algorithm>

namespace bci {

std::optional<Label> catch_all_start(MethodContext& method, SkipReason& why) {
  if (method.is_object_constructor()) {
    // Crashes C2 (17 and 25): at the return of Object.<init> it registers finalizers, and for an
    // exception from that call it asks every handler of the method, whatever its range, for its
    // class, which a catch-all does not have.
    why = SkipReason::kVmLimit;
    return std::nullopt;
  }
  if (!method.needs_super_call()) return 0;
  // The handler's frame has an initialized `this`, so its range may not include code before that.
  const ConstructorFlow* flow = method.constructor_flow();
  if (flow == nullptr) {
    why = SkipReason::kTooComplex;
    return std::nullopt;
  }
  if (flow->super_calls.size() != 1) {
    why = SkipReason::kSuperCallNotUnique;
    return std::nullopt;
  }
  const Label start = flow->super_calls[0] + 1;
  const StackMap& map = method.editor()->code().stack_map;
  const auto is_uninitialized = [](const VerificationType& type) {
    return type.tag == kUninitializedThis;
  };
  const bool frame_behind =
      std::any_of(map.frames.begin(), map.frames.end(), [&](const Frame& frame) {
        const auto locals = map.locals(frame);
        const auto stack = map.stack(frame);
        return frame.at >= start && (std::any_of(locals.begin(), locals.end(), is_uninitialized) ||
                                     std::any_of(stack.begin(), stack.end(), is_uninitialized));
      });
  if (flow->initialized_from > start || frame_behind) {
    why = SkipReason::kThisNotInitialized;
    return std::nullopt;
  }
  return start;
}

}  // namespace bci
