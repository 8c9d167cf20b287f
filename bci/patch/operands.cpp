#include "bci/patch/operands.h"

#include <algorithm>

#include "bci/opcodes.h"

namespace bci {

Operands operands_of(const Site& site, const Code& code) {
  Operands operands;
  const auto add_target = [&](std::string type) {
    operands.target = 0;
    operands.before.push_back(std::move(type));
  };
  switch (site.kind) {
    case SiteKind::kSyncTest:
    case SiteKind::kSyncEnter:
    case SiteKind::kSyncExit:
      add_target("Ljava/lang/Object;");
      operands.value = 0;
      operands.value_is_kept = true;
      break;
    case SiteKind::kStaticAccess:
      operands.result = site.descriptor;
      break;
    case SiteKind::kFieldAccess:
      add_target(descriptor_of(site.owner));
      operands.value = 0;
      operands.result = site.descriptor;
      break;
    case SiteKind::kFieldWrite:
      add_target(descriptor_of(site.owner));
      [[fallthrough]];
    case SiteKind::kStaticWrite:
      operands.value = operands.before.size();
      operands.before.emplace_back(site.descriptor);
      operands.value_is_kept = true;
      break;
    case SiteKind::kArrayAlloc:
    case SiteKind::kBaseArrayAlloc:
      operands.value = 0;
      operands.before.emplace_back("I");
      operands.result = site.owner;
      break;
    case SiteKind::kCall: {
      const auto descriptor = MethodDescriptor::parse(site.descriptor);
      const bool has_receiver = code.instructions[site.label].opcode != kInvokestatic;
      if (has_receiver && site.name != "<init>") add_target(descriptor_of(site.owner));
      for (const std::string_view type : descriptor->argument_types()) {
        operands.value = operands.before.size();
        operands.before.emplace_back(type);
      }
      if (descriptor->result != "V") operands.result = descriptor->result;
      break;
    }
    default:
      break;
  }
  return operands;
}

SkipReason check_initialized(const Operands& operands, std::size_t index, const PatchScope& scope,
                             const Site& site, const TypeState* state) {
  if (kind_of(operands.before[index]) != ValueKind::kReference) return SkipReason::kNone;
  if (state == nullptr) {
    // Before super() only fields of the constructor's own object may be written.
    const bool may_be_raw =
        scope.method.needs_super_call() && (site.kind == SiteKind::kFieldWrite || site.of_method);
    return may_be_raw && operands.target == index ? SkipReason::kTypeUnknown : SkipReason::kNone;
  }
  std::size_t depth = 1;
  for (std::size_t i = index + 1; i < operands.before.size(); ++i) {
    depth += slots_of(std::string_view(operands.before[i]));
  }
  if (state->stack.size() < depth) return SkipReason::kTypeUnknown;
  const FlowType& type = state->stack[state->stack.size() - depth];
  if (type.tag == kUninitializedThis) return SkipReason::kThisNotInitialized;
  return type.tag == kUninitialized ? SkipReason::kNotInitialized : SkipReason::kNone;
}

std::optional<CompletedObject> completed_object(Label label, const PatchScope& scope,
                                                const TypeState& before) {
  const ByteSpan bytes = scope.code.bytes_of(label);
  if (bytes[0] != kInvokespecial) return std::nullopt;
  const auto callee = scope.file.pool.member(read_u2(&bytes[1]));
  if (!callee || callee->name != "<init>") return std::nullopt;
  const auto descriptor = MethodDescriptor::parse(callee->descriptor);
  if (!descriptor || before.stack.size() <= descriptor->argument_slots) return std::nullopt;
  const std::size_t receiver = before.stack.size() - descriptor->argument_slots - 1;
  const FlowType raw = before.stack[receiver];
  CompletedObject object;
  if (raw.tag == kUninitialized) {
    object.made_at = raw.made_at;
    const auto made = scope.code.bytes_of(raw.made_at);
    object.type = descriptor_of(scope.file.pool.class_name(read_u2(&made[1])));
  } else if (raw.tag == kUninitializedThis) {
    object.type = descriptor_of(scope.file.name);
  } else {
    return std::nullopt;
  }
  object.on_top = receiver > 0 && before.stack[receiver - 1] == raw;
  const auto local = std::ranges::find(before.locals, raw);
  if (!object.on_top && local != before.locals.end()) {
    object.slot = static_cast<std::uint32_t>(local - before.locals.begin());
  }
  return object;
}

}  // namespace bci
