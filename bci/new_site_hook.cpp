#include "bci/new_site_hook.h"

#include <vector>

#include "bci/code_states.h"
#include "bci/opcodes.h"
#include "bci/stack_map.h"

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
