#include "bci/allocation_hooks.h"

#include "bci/code_states.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

// Whether the constructor call leaves its object on top of the stack: after `new` and `dup` there
// are two references to it, of which the call consumes one.
bool leaves_new_object(const TypeState& before, const TypeState& behind) {
  const std::size_t left = behind.stack.size();
  if (left == 0 || before.stack.size() <= left) return false;
  const FlowType& receiver = before.stack[left];
  const FlowType& kept = before.stack[left - 1];
  return receiver.tag == kUninitialized && kept == receiver;
}

}  // namespace

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

void NewSiteHook::apply(ClassContext& context) const {
  for (MethodContext& method : context.methods()) {
    const OpcodeSet& opcodes = method.opcodes();
    if (!opcodes.test(kNew) || !opcodes.test(kInvokespecial)) continue;
    CodeEditor* editor = method.editor();
    if (editor == nullptr) continue;
    std::vector<Label> sites;
    visit_states(editor->code(), method.shape(), context.pool(),
                 [&](Label label, const TypeState* before, const TypeState* behind) {
                   if (editor->code().instructions[label].opcode == kInvokespecial &&
                       before != nullptr && behind != nullptr &&
                       leaves_new_object(*before, *behind)) {
                     sites.push_back(label);
                   }
                 });
    for (const Label site : sites) editor->after(site, editor->snippet().dup().call(hook_));
  }
}

}  // namespace bci
