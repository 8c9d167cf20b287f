#include "bci/patch/patch_place.h"

#include "bci/code_states.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

MaybeValue refused(SkipReason why) { return {std::nullopt, why}; }

MaybeValue number(std::int32_t number) {
  return some_value("I", [number](Snippet& code) { code.push(number); });
}

MaybeValue id(std::int32_t id) { return id < 0 ? refused(SkipReason::kNoId) : number(id); }

// nullopt for types that cannot be passed to a sink.
std::optional<std::string> descriptor_of_type(const FlowType& type) {
  switch (type.tag) {
    case kInt:
      return "I";
    case kLongType:
      return "J";
    case kFloatType:
      return "F";
    case kDoubleType:
      return "D";
    case kNull:
      return "";
    case kObject:
      return descriptor_of(type.name);
    default:
      return std::nullopt;
  }
}

MaybeValue this_object(const PatchPlace& place) {
  const PatchScope& scope = place.scope;
  if (scope.method.outline().is_static()) return refused(SkipReason::kStaticMethod);
  if (scope.is_stored(0)) return refused(SkipReason::kThisOverwritten);
  if (place.state != nullptr) {
    const FlowType type = place.state->locals.empty() ? FlowType{} : place.state->locals[0];
    if (type.tag == kUninitializedThis) return refused(SkipReason::kThisNotInitialized);
    if (type.tag != kObject) return refused(SkipReason::kTypeUnknown);
  } else if (scope.method.needs_super_call() && !place.this_initialized) {
    return refused(SkipReason::kThisNotInitialized);
  }
  return some_value(descriptor_of(scope.file.name), [](Snippet& code) { code.aload_0(); });
}

// The types of a state do not tell char from int.
bool is_char_parameter(std::uint32_t slot, const PatchScope& scope) {
  if (!scope.descriptor) return false;
  std::uint32_t at = scope.method.outline().is_static() ? 0 : 1;
  for (const std::string_view type : scope.descriptor->argument_types()) {
    if (at == slot) return type == "C";
    at += static_cast<std::uint32_t>(slots_of(type));
  }
  return false;
}

MaybeValue local(std::uint32_t slot, const PatchPlace& place) {
  const PatchScope& scope = place.scope;
  if (slot >= scope.code.max_locals) return refused(SkipReason::kNoSuchVariable);
  FlowType type;
  if (place.state != nullptr) {
    if (slot < place.state->locals.size()) type = place.state->locals[slot];
  } else if (slot < scope.parameters.size() && !scope.is_stored(slot)) {
    if (slot == 0 && scope.method.needs_super_call()) return this_object(place);
    type = scope.parameters[slot];
  } else {
    return refused(SkipReason::kTypeUnknown);
  }
  if (type.tag == kUninitializedThis) return refused(SkipReason::kThisNotInitialized);
  if (type.tag == kUninitialized) return refused(SkipReason::kNotInitialized);
  auto descriptor = descriptor_of_type(type);
  if (!descriptor) return refused(SkipReason::kTypeUnknown);
  if (*descriptor == "I" && is_char_parameter(slot, scope)) descriptor = "C";
  const ValueKind kind = descriptor->empty() ? ValueKind::kReference : kind_of(*descriptor);
  return some_value(std::move(*descriptor), [=](Snippet& code) { code.load(kind, slot); });
}

MaybeValue argument_value(std::int32_t which, const PatchPlace& place) {
  const PatchScope& scope = place.scope;
  if (!scope.descriptor || which < 1) return refused(SkipReason::kNoSuchVariable);
  std::uint32_t slot = scope.method.outline().is_static() ? 0 : 1;
  for (const std::string_view type : scope.descriptor->argument_types()) {
    if (--which == 0) {
      MaybeValue found = local(slot, place);
      // A variable of another kind that has reused the slot is not the argument.
      if (found.value && !found.value->type.empty() &&
          kind_of(found.value->type) != kind_of(type)) {
        return refused(SkipReason::kTypeUnknown);
      }
      return found;
    }
    slot += static_cast<std::uint32_t>(slots_of(type));
  }
  return refused(SkipReason::kNoSuchVariable);
}

MaybeValue field(const std::string& name, const PatchPlace& place) {
  const auto found = find_field(place.scope.file, name);
  if (!found) return refused(SkipReason::kNoSuchVariable);
  const std::string_view owner = place.scope.file.name;
  const bool is_static = found->is_static;
  if (!is_static) {
    const MaybeValue object = this_object(place);
    if (!object.value) return object;
  }
  return some_value(std::string(found->type), [=, field = *found](Snippet& code) {
    if (!is_static) code.aload_0();
    code.get_field(owner, field.name, field.type, is_static);
  });
}

MaybeValue local_variable(const PatchArgument& argument, const PatchPlace& place) {
  if (argument.name.empty()) {
    if (argument.number < 0) return refused(SkipReason::kNoSuchVariable);
    return local(static_cast<std::uint32_t>(argument.number), place);
  }
  const auto slot = place.scope.tables.variables.slot_of(argument.name, place.site.label);
  return slot ? local(*slot, place) : refused(SkipReason::kNoSuchVariable);
}

}  // namespace

PatchScope::PatchScope(ClassContext& context, MethodContext& of, CodeEditor& given_editor,
                       PatchIds& given_ids)
    : file(context.file()),
      method(of),
      editor(given_editor),
      code(editor.code()),
      ids(given_ids),
      tables(code, context.pool()),
      descriptor(MethodDescriptor::parse(of.descriptor())) {
  if (auto entry = entry_state(code, method.shape(), context.pool())) {
    parameters = std::move(entry->locals);
    if (!parameters.empty() && parameters[0].tag == kUninitializedThis) {
      parameters[0] = {kObject, file.name};
    }
  }
  stored_.assign(code.max_locals + std::size_t{2}, false);
  for (Label label = 0; label < code.end_label(); ++label) {
    const auto store = store_of(code.bytes_of(label));
    if (!store) continue;
    const std::size_t slot = store->slot;
    for (std::size_t i = slot; i < slot + store->slots; ++i) {
      if (i < stored_.size()) stored_[i] = true;
    }
    // A store to the second half of a long or double parameter destroys the first, too.
    if (slot > 0 && slot - 1 < parameters.size() && is_two_slots(parameters[slot - 1].tag)) {
      stored_[slot - 1] = true;
    }
  }
}

const AddedVariable* PatchScope::added_variable(std::string_view name) {
  const auto found = added.find(name);
  if (found == added.end() || found->second.type.empty()) return nullptr;
  AddedVariable& variable = found->second;
  if (variable.slot == CodeEditor::kNoSlot) variable.slot = editor.add_local(variable.type);
  return &variable;
}

MaybeValue value_of(const PatchArgument& argument, const PatchPlace& place) {
  PatchScope& scope = place.scope;
  const Site& site = place.site;
  const std::string_view owner = scope.file.name;
  const auto number_of = [&](std::int32_t given) {
    if (given < 0 || argument.cell == CellKind::kNone) return id(given);
    return id(argument.cell == CellKind::kCounter ? scope.ids.counter_of(given, owner)
                                                  : scope.ids.timer_of(given, owner));
  };
  switch (argument.kind) {
    case ArgumentKind::kThis:
      return this_object(place);
    case ArgumentKind::kInteger:
      return argument.cell != CellKind::kNone ? number_of(argument.number)
                                              : number(argument.number);
    case ArgumentKind::kText:
      return some_value("Ljava/lang/String;",
                        [text = argument.name](Snippet& code) { code.push_text(text); });
    case ArgumentKind::kNull:
      return some_value("", [](Snippet& code) { code.push_null(); });
    case ArgumentKind::kCurrentThread:
      return some_value("Ljava/lang/Thread;", [](Snippet& code) {
        code.call({"java/lang/Thread", "currentThread", "()Ljava/lang/Thread;"});
      });
    case ArgumentKind::kField:
      return field(argument.name, place);
    case ArgumentKind::kLocal:
      return local_variable(argument, place);
    case ArgumentKind::kArg:
      return argument_value(argument.number == 0 ? place.argument_number : argument.number, place);
    case ArgumentKind::kReturn:
      return site.kind == SiteKind::kExit ? place.stack : refused(SkipReason::kNoValue);
    case ArgumentKind::kException:
      return site.kind == SiteKind::kThrow ? place.stack : refused(SkipReason::kNoValue);
    case ArgumentKind::kStack:
      return place.stack;
    case ArgumentKind::kTarget:
      return place.target;
    case ArgumentKind::kNewLocal: {
      const AddedVariable* variable = scope.added_variable(argument.name);
      if (variable == nullptr) return refused(SkipReason::kNoSuchVariable);
      return some_value(variable->type, [kind = kind_of(variable->type), slot = variable->slot](
                                            Snippet& code) { code.load(kind, slot); });
    }
    case ArgumentKind::kArgNumber:
      if (place.argument_number == 0) return refused(SkipReason::kNoValue);
      return number(place.argument_number);
    case ArgumentKind::kInstruction:
      return number_of(static_cast<std::int32_t>(site.label));
    case ArgumentKind::kBlockId:
      return number_of(scope.ids.block_id(owner, scope.method.name(), scope.method.descriptor(),
                                          scope.tables.blocks.first_of(site.label)));
    case ArgumentKind::kMethodId:
      return number_of(scope.ids.method_id(owner, scope.method.name(), scope.method.descriptor()));
    case ArgumentKind::kClassId:
      return number_of(scope.ids.class_id(owner));
    case ArgumentKind::kRefMethodId:
      if (site.kind != SiteKind::kCall) return refused(SkipReason::kNoValue);
      return number_of(scope.ids.method_id(site.owner, site.name, site.descriptor));
    case ArgumentKind::kRefClassId:
      if (site.owner.empty()) return refused(SkipReason::kNoValue);
      return number_of(scope.ids.class_id(site.owner));
  }
  return refused(SkipReason::kBadHook);
}

std::string describe(const PatchArgument& argument) {
  std::string text(to_string(argument.kind));
  if (!argument.name.empty()) {
    text.append(1, ' ').append(argument.name);
  } else if (argument.kind == ArgumentKind::kArg || argument.kind == ArgumentKind::kLocal) {
    text.append(1, ' ').append(std::to_string(argument.number));
  }
  return text;
}

}  // namespace bci
