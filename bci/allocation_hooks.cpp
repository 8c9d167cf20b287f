#include "bci/allocation_hooks.h"

#include "bci/opcodes.h"

namespace bci {

void ObjectInitHook::apply(ClassContext& context) const {
  if (context.name() != "java/lang/Object") return;
  for (MethodContext& method : context.methods()) {
    if (!method.outline().is_constructor()) continue;
    CodeEditor* editor = method.editor();
    if (editor == nullptr) continue;
    // Only in this constructor `this` is initialized at the entry: there is no super() to call.
    editor->at_entry(editor->snippet().aload_0().call(hook_));
  }
}

void ArrayHook::apply(ClassContext& context) const {
  for (MethodContext& method : context.methods()) {
    const OpcodeSet& opcodes = method.opcodes();
    if (!opcodes.test(kNewarray) && !opcodes.test(kAnewarray) && !opcodes.test(kMultianewarray)) {
      continue;
    }
    if (matches_any(exempt_, context.name(), method.name(), method.descriptor())) continue;
    CodeEditor* editor = method.editor();
    if (editor == nullptr) continue;
    const Code& code = editor->code();
    for (Label label = 0; label < code.end_label(); ++label) {
      const std::uint8_t op = code.instructions[label].opcode;
      if (op == kNewarray || op == kAnewarray) {
        editor->after(label, editor->snippet().dup().call(one_));
      } else if (op == kMultianewarray) {
        const std::uint8_t dimensions = code.bytes_of(label)[3];
        editor->after(label, editor->snippet().dup().push(dimensions).call(many_));
      }
    }
  }
}

}  // namespace bci
