#include "bci/call_site_hook.h"

#include <algorithm>

#include "bci/descriptor.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

bool has_receiver(std::uint8_t opcode) {
  return opcode != kInvokestatic && opcode != kInvokedynamic;
}

}  // namespace

CallSiteHook::CallSiteHook(std::vector<CallRule> rules, std::vector<MethodPattern> exempt)
    : rules_(std::move(rules)), exempt_(std::move(exempt)) {
  for (const CallRule& rule : rules_) {
    if (rule.callee.name.empty()) {
      any_name_.push_back(&rule);
    } else {
      by_name_.emplace(rule.callee.name, &rule);
    }
  }
}

bool CallSiteHook::holds_hook(std::string_view class_name) const {
  return std::ranges::any_of(rules_,
                             [&](const CallRule& rule) { return rule.hook.owner == class_name; });
}

std::vector<const CallRule*> CallSiteHook::rules_for(const ConstantPool::Member& callee) const {
  std::vector<const CallRule*> rules;
  const auto consider = [&](const CallRule* rule) {
    if (!rule->callee.matches(callee.owner, callee.name, callee.descriptor)) return;
    const auto descriptor = MethodDescriptor::parse(callee.descriptor);
    if (!descriptor) return;
    if (rule->position == CallPosition::kAfter && !descriptor->returns_reference()) return;
    // The receiver must be on top of the stack, and initialized.
    if (rule->position == CallPosition::kBeforeOn &&
        (!callee.descriptor.starts_with("()") || callee.name == "<init>")) {
      return;
    }
    rules.push_back(rule);
  };
  const auto [first, last] = by_name_.equal_range(callee.name);
  for (auto it = first; it != last; ++it) consider(it->second);
  for (const CallRule* rule : any_name_) consider(rule);
  // In the order of the rules, not of the index.
  std::ranges::sort(rules);
  return rules;
}

void CallSiteHook::apply(ClassContext& context) const {
  const ConstantPool& pool = context.pool();
  std::unordered_map<std::uint16_t, std::vector<const CallRule*>> matched;
  const std::uint16_t count = pool.count();
  for (std::uint16_t index = 1; index < count; ++index) {
    const std::uint8_t tag = pool.tag(index);
    if (tag != kMethodref && tag != kInterfaceMethodref && tag != kInvokeDynamic) continue;
    const auto callee = pool.member(index);
    if (!callee) continue;
    auto rules = rules_for(*callee);
    if (!rules.empty()) matched.emplace(index, std::move(rules));
  }
  if (matched.empty()) return;
  for (MethodContext& method : context.methods()) edit(context, method, matched);
}

void CallSiteHook::edit(
    const ClassContext& context, MethodContext& method,
    const std::unordered_map<std::uint16_t, std::vector<const CallRule*>>& matched) const {
  const OpcodeSet& opcodes = method.opcodes();
  const bool calls = opcodes.test(kInvokevirtual) || opcodes.test(kInvokespecial) ||
                     opcodes.test(kInvokestatic) || opcodes.test(kInvokeinterface) ||
                     opcodes.test(kInvokedynamic);
  if (!calls || matches_any(exempt_, context.name(), method.name(), method.descriptor())) return;
  const ByteSpan bytecode = method.outline().code->bytecode;
  for (std::size_t bci = 0; bci < bytecode.size(); bci += instruction_length(bytecode, bci)) {
    const std::uint8_t op = bytecode[bci];
    if (!is_invoke(op)) continue;
    const std::uint16_t index = read_u2(&bytecode[bci + 1]);
    const auto rules = matched.find(index);
    if (rules == matched.end()) continue;
    const CallSite site{context.name(), method.name(), static_cast<std::uint16_t>(bci), op,
                        *context.pool().member(index)};
    for (const CallRule* rule : rules->second) {
      if (rule->position == CallPosition::kBeforeOn && !has_receiver(op)) continue;
      const auto numbers = rule->select ? rule->select(site) : HookNumbers{};
      if (!numbers) continue;
      CodeEditor* editor = method.editor();
      if (editor == nullptr) return;
      const Label label = editor->code().label_at(site.bci);
      Snippet snippet = editor->snippet();
      switch (rule->position) {
        case CallPosition::kBefore:
          editor->before(label,
                         snippet.push(numbers->first).push(numbers->second).call(rule->hook));
          break;
        case CallPosition::kBeforeOn:
          editor->before(label, snippet.dup().call(rule->hook));
          break;
        case CallPosition::kAfter:
          editor->after(label, snippet.dup().call(rule->hook));
          break;
      }
    }
  }
}

}  // namespace bci
