#include "bci/method_hooks.h"

#include <algorithm>

#include "bci/opcodes.h"

namespace bci {

void MethodHook::apply(ClassContext& context) const {
  for (MethodContext& method : context.methods()) {
    if (!method.has_code()) continue;
    const auto numbers = numbers_(context, method);
    if (!numbers) continue;
    CodeEditor* editor = method.editor();
    if (editor != nullptr) edit(method, *editor, *numbers);
  }
}

Snippet MethodHook::call(CodeEditor& editor, HookNumbers numbers) const {
  return editor.snippet().push(numbers.first).push(numbers.second).call(hook_);
}

void MethodEntryHook::edit(MethodContext&, CodeEditor& editor, HookNumbers numbers) const {
  editor.at_entry(call(editor, numbers));
}

void MethodReturnHook::edit(MethodContext&, CodeEditor& editor, HookNumbers numbers) const {
  const Code& code = editor.code();
  for (Label label = 0; label < code.end_label(); ++label) {
    if (is_return(code.instructions[label].opcode)) editor.before(label, call(editor, numbers));
  }
}

void ExceptionalExitHook::edit(MethodContext& method, CodeEditor& editor,
                               HookNumbers numbers) const {
  Label start = 0;
  if (method.is_object_constructor()) {
    // C2 crashes (17 and 25): at the return of Object.<init> it registers finalizers, and for an
    // exception from there asks every handler of the method, whatever its range, for its class; a
    // catch-all has none.
    return method.skip(SkipReason::kVmLimit, *this);
  }
  if (method.needs_super_call()) {
    // The handler's frame has no uninitialised `this`, so no code that has may be in its range.
    const ConstructorFlow* flow = method.constructor_flow();
    if (flow == nullptr) return method.skip(SkipReason::kTooComplex, *this);
    if (flow->super_calls.size() != 1) return method.skip(SkipReason::kSuperCallNotUnique, *this);
    start = flow->super_calls[0] + 1;
    const StackMap& map = editor.code().stack_map;
    const auto is_uninitialized = [](const VerificationType& type) {
      return type.tag == kUninitializedThis;
    };
    const bool frame_behind =
        std::any_of(map.frames.begin(), map.frames.end(), [&](const Frame& frame) {
          const auto locals = map.locals(frame);
          const auto stack = map.stack(frame);
          return frame.at >= start &&
                 (std::any_of(locals.begin(), locals.end(), is_uninitialized) ||
                  std::any_of(stack.begin(), stack.end(), is_uninitialized));
        });
    if (flow->initialized_from > start || frame_behind) {
      return method.skip(SkipReason::kThisNotInitialized, *this);
    }
  }
  editor.catch_all(start, call(editor, numbers));
}

}  // namespace bci
