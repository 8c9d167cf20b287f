#include "bci/method_hooks.h"

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
  SkipReason why{};
  const auto start = method.catch_all_start(why);
  if (!start) return method.skip(why, *this);
  editor.catch_all(*start, call(editor, numbers));
}

}  // namespace bci
