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

void MethodHook::edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const {
  const auto call = [&](const HookMethod& hook) {
    return editor.snippet().push(numbers.first).push(numbers.second).call(hook);
  };
  if (!hooks_.entered.owner.empty()) editor.at_entry(call(hooks_.entered));
  if (!hooks_.returned.owner.empty()) {
    const Code& code = editor.code();
    for (Label label = 0; label < code.end_label(); ++label) {
      if (!is_return(code.instructions[label].opcode)) continue;
      editor.before(label, call(hooks_.returned));
    }
  }
  if (hooks_.thrown.owner.empty()) return;
  SkipReason why{};
  const auto start = method.catch_all_start(why);
  if (!start) return method.skip(why, "MethodHook");
  editor.catch_all(*start, call(hooks_.thrown));
}

}  // namespace bci
