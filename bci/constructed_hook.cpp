#include "bci/constructed_hook.h"

#include "bci/opcodes.h"

namespace bci {

void ConstructedHook::apply(ClassContext& context) const {
  if (context.name() != class_name_) return;
  for (MethodContext& method : context.methods()) {
    if (!method.needs_super_call()) continue;
    CodeEditor* editor = method.editor();
    if (editor == nullptr) continue;
    const Code& code = editor->code();
    for (Label label = 0; label < code.end_label(); ++label) {
      if (!is_return(code.instructions[label].opcode)) continue;
      editor->before(label, editor->snippet().aload_0().call(hook_));
    }
  }
}

}  // namespace bci
