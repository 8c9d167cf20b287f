#include "bci/patch/site_code.h"

#include <algorithm>

namespace bci {
namespace {

bool is_top(ArgumentKind kind) {
  return kind == ArgumentKind::kStack || kind == ArgumentKind::kReturn ||
         kind == ArgumentKind::kException;
}
bool is_target(ArgumentKind kind) { return kind == ArgumentKind::kTarget; }

using KindTest = bool (*)(ArgumentKind);

std::size_t uses(const PatchCall& call, KindTest is) {
  const auto arguments = std::ranges::count_if(
      call.arguments, [&](const PatchArgument& each) { return is(each.kind); });
  const auto conditions = std::ranges::count_if(
      call.conditions, [&](const PatchCondition& each) { return is(each.left.kind); });
  return static_cast<std::size_t>(arguments + conditions);
}

bool any_uses(const Calls& calls, KindTest is) {
  return std::ranges::any_of(calls, [&](const PatchCall* call) { return uses(*call, is) > 0; });
}

// Whether a dup right before each call provides the value.
bool only_first(const Calls& calls, KindTest is) {
  return std::ranges::all_of(calls, [&](const PatchCall* call) {
    const std::size_t count = uses(*call, is);
    return count == 0 || (count == 1 && !call->arguments.empty() && is(call->arguments[0].kind));
  });
}

MaybeValue duplicate(const std::string& type) {
  return some_value(type, [kind = kind_of(type)](Snippet& code) { code.dup(kind); });
}

MaybeValue load(const std::string& type, std::uint32_t slot) {
  return some_value(type, [kind = kind_of(type), slot](Snippet& code) { code.load(kind, slot); });
}

constexpr std::string_view kObjectType = "Ljava/lang/Object;";

// Whether a value of type `from` ("" is null) is acceptable as `to`.
bool fits(std::string_view from, std::string_view to) {
  const ValueKind wanted = kind_of(to);
  if (from.empty()) return wanted == ValueKind::kReference;
  const ValueKind given = kind_of(from);
  if (wanted == ValueKind::kReference) {
    return given == ValueKind::kReference && (to == kObjectType || to == from);
  }
  if (given == wanted) return true;
  if (wanted == ValueKind::kLong) return given == ValueKind::kInt;
  return wanted == ValueKind::kDouble && (given == ValueKind::kInt || given == ValueKind::kFloat);
}

void push(const PatchValue& value, std::string_view wanted, Snippet& code) {
  value.push(code);
  if (!value.type.empty()) code.widen(kind_of(value.type), kind_of(wanted));
}

class CallWriter {
 public:
  CallWriter(const PatchCall& call, const std::string& test_class, const PatchPlace& place,
             Snippet& code, CallRefusal& refusal)
      : call_(call), test_class_(test_class), place_(place), code_(code), refusal_(refusal) {}

  bool write() {
    std::vector<PatchValue> values;
    for (const PatchArgument& argument : call_.arguments) {
      auto value = find(argument);
      if (!value) return call_.optional;
      values.push_back(std::move(*value));
    }
    const auto descriptor = choose(values);
    if (!descriptor) return refuse(SkipReason::kTypeMismatch, unfit(values));
    const auto types = descriptor->argument_types();
    for (std::size_t i = 0; i < values.size(); ++i) push(values[i], types[i], code_);
    if (!write_conditions()) return false;
    code_.call({call_.sink.owner, call_.sink.name, chosen_});
    return keep_result(descriptor->result);
  }

 private:
  bool refuse(SkipReason why, std::string detail) {
    refusal_ = {why, std::move(detail)};
    return false;
  }

  bool refuse_left(const PatchCondition& condition, const std::string& why) {
    return refuse(SkipReason::kTypeMismatch, describe(condition.left) + " " + why);
  }

  std::optional<PatchValue> find(const PatchArgument& argument) {
    MaybeValue found = value_of(argument, place_);
    if (!found.value) refuse(found.why, describe(argument));
    return std::move(found.value);
  }

  std::optional<MethodDescriptor> choose(const std::vector<PatchValue>& values) {
    if (takes(call_.sink.descriptor, values)) chosen_ = call_.sink.descriptor;
    for (const std::string& other : call_.overloads) {
      if (chosen_.empty() && takes(other, values)) chosen_ = other;
    }
    if (chosen_.empty()) return std::nullopt;
    return MethodDescriptor::parse(chosen_);
  }

  bool takes(const std::string& text, const std::vector<PatchValue>& values) const {
    const auto descriptor = MethodDescriptor::parse(text);
    if (!descriptor) return false;
    const auto types = descriptor->argument_types();
    const bool conditional = !call_.conditions.empty();
    if (types.size() != values.size() + (conditional ? 1 : 0)) return false;
    if (conditional && types.back() != "Z") return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!fits(values[i].type, types[i])) return false;
    }
    return true;
  }

  std::string unfit(const std::vector<PatchValue>& values) const {
    std::string text = call_.sink.name + call_.sink.descriptor + " given (";
    for (const PatchValue& value : values) text += value.type.empty() ? "null" : value.type;
    if (!call_.conditions.empty()) text += "Z";
    return text + ")";
  }

  bool write_conditions() {
    const std::vector<PatchCondition>& all = call_.conditions;
    bool is_first_group = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!write_condition(all[i])) return false;
      if (i > 0 && !all[i].alternative) code_.and_ints();
      const bool ends_group = i + 1 == all.size() || all[i + 1].alternative;
      if (ends_group && !is_first_group) code_.or_ints();
      is_first_group = is_first_group && !ends_group;
    }
    return true;
  }

  bool write_condition(const PatchCondition& condition) {
    const auto left = find(condition.left);
    if (!left) return false;
    const auto relation = static_cast<std::int32_t>(condition.relation);
    const bool is_number = !left->type.empty() && kind_of(left->type) != ValueKind::kReference;
    if (condition.path != 0) {
      if (is_number) return refuse_left(condition, "is a number, which has no fields or elements");
      left->push(code_);
      code_.push(condition.path).call({test_class_, "walk", "(Ljava/lang/Object;I)Z"});
      return true;
    }
    const auto* integer = std::get_if<std::int64_t>(&condition.right);
    const bool is_letter = left->type == "C" && condition.letter >= 0;
    if (integer != nullptr || is_letter) {
      if (fits(left->type, "J") && is_number) {
        push(*left, "J", code_);
        code_.push(relation).push_long(is_letter ? condition.letter : *integer);
        code_.call({test_class_, "test", "(JIJ)Z"});
        return true;
      }
      return compare_double(condition, *left, static_cast<double>(*integer));
    }
    if (const auto* number = std::get_if<double>(&condition.right)) {
      return compare_double(condition, *left, *number);
    }
    const auto* text = std::get_if<std::string>(&condition.right);
    if (is_number) {
      std::string why = "is a number, which is not compared with ";
      why += text != nullptr ? "a text" : "null";
      if (condition.letter >= 0 && condition.left.kind == ArgumentKind::kLocal) {
        why += "; a char variable is compared with its number: " + std::to_string(condition.letter);
      }
      return refuse_left(condition, why);
    }
    if (relation > static_cast<std::int32_t>(Relation::kNotEqual)) {
      return refuse_left(condition, "is an object, which is compared for == and != only");
    }
    left->push(code_);
    code_.push(relation);
    if (text != nullptr) {
      code_.push_text(*text);
      code_.call({test_class_, "test", "(Ljava/lang/Object;ILjava/lang/String;)Z"});
    } else {
      code_.call({test_class_, "test", "(Ljava/lang/Object;I)Z"});
    }
    return true;
  }

  bool compare_double(const PatchCondition& condition, const PatchValue& left, double right) {
    // A long is not converted to double, which may round.
    if (left.type == "J") return refuse_left(condition, "is a long: it has whole numbers only");
    if (left.type.empty() || !fits(left.type, "D")) {
      return refuse_left(condition, "is an object, which is not compared with a number");
    }
    push(left, "D", code_);
    code_.push(static_cast<std::int32_t>(condition.relation));
    code_.push_double(right).call({test_class_, "test", "(DID)Z"});
    return true;
  }

  bool keep_result(std::string_view type) {
    if (call_.result_local.empty()) {
      if (type != "V") code_.drop(kind_of(type));
      return true;
    }
    const AddedVariable* local = place_.scope.added_variable(call_.result_local);
    if (local == nullptr || local->type != type) {
      return refuse(SkipReason::kTypeMismatch, "result of " + call_.sink.name);
    }
    code_.store(kind_of(type), local->slot);
    return true;
  }

  const PatchCall& call_;
  const std::string& test_class_;
  const PatchPlace& place_;
  Snippet& code_;
  CallRefusal& refusal_;
  std::string chosen_;
};

// Appends the call to `code`. False, with the reason, if values are not available or do not fit the
// sink; `code` is unusable then.
bool append_call(const PatchCall& call, const std::string& test_class, const PatchPlace& place,
                 Snippet& code, CallRefusal& refusal) {
  return CallWriter(call, test_class, place, code, refusal).write();
}

}  // namespace

std::uint32_t ScratchSlots::take(ValueKind kind) {
  const std::size_t width = slots_of(kind);
  std::vector<std::uint32_t>& slots = slots_[width - 1];
  std::size_t& used = used_[width - 1];
  if (used == slots.size()) slots.push_back(editor_.add_scratch(static_cast<std::uint32_t>(width)));
  return slots[used++];
}

bool SiteCode::append(const Calls& calls, const PatchPlace& place, Snippet& code,
                      CallRefusal& refusal) {
  return std::ranges::all_of(calls, [&](const PatchCall* call) {
    if (!call->each_argument) return append_call(*call, test_class_, place, code, refusal);
    if (!scope_.descriptor) return true;
    PatchPlace each = place;
    for (std::size_t left = scope_.descriptor->argument_types().size(); left > 0; --left) {
      ++each.argument_number;
      if (!append_call(*call, test_class_, each, code, refusal)) return false;
    }
    return true;
  });
}

MaybeValue SiteCode::top_of_stack(const std::string& type, const Calls& calls, Snippet& code,
                                  std::vector<Captured>& captured) {
  if (type.empty()) return {};
  if (!any_uses(calls, is_top) || only_first(calls, is_top)) return duplicate(type);
  const ValueKind kind = kind_of(type);
  const std::uint32_t slot = scratch_.take(kind);
  code.dup(kind).store(kind, slot);
  captured.push_back({kind, slot});
  return load(type, slot);
}

// Clears the slots, so that they keep no object reachable.
void SiteCode::forget(const std::vector<Captured>& captured, Snippet& code) {
  for (const Captured& each : captured) {
    if (each.kind == ValueKind::kReference) code.push_null().store(each.kind, each.slot);
  }
}

std::optional<Snippet> SiteCode::between(const Calls& calls, const Site& site, const TopValue& top,
                                         const TypeState* state, bool this_initialized,
                                         CallRefusal& refusal) {
  Snippet code = scope_.editor.snippet();
  std::vector<Captured> captured;
  PatchPlace place{scope_, site, state, this_initialized};
  place.stack = top.type.empty() ? top.elsewhere : top_of_stack(top.type, calls, code, captured);
  if (site.of_method) place.target = place.stack;
  if (!append(calls, place, code, refusal)) return std::nullopt;
  forget(captured, code);
  return code;
}

void SiteCode::capture(const Operands& operands, std::size_t lowest, Snippet& code,
                       std::vector<std::uint32_t>& slots, std::vector<Captured>& captured) {
  const auto kind = [&](std::size_t i) { return kind_of(operands.before[i]); };
  slots.assign(operands.before.size(), CodeEditor::kNoSlot);
  for (std::size_t i = operands.before.size(); i-- > lowest;) {
    slots[i] = scratch_.take(kind(i));
    captured.push_back({kind(i), slots[i]});
    if (i == lowest) code.dup(kind(i));
    code.store(kind(i), slots[i]);
  }
  for (std::size_t i = lowest + 1; i < slots.size(); ++i) code.load(kind(i), slots[i]);
}

MaybeValue SiteCode::object_behind(Label constructor, const TypeState& before, const Calls& calls,
                                   Snippet& code, std::vector<Captured>& captured) {
  const auto object = completed_object(constructor, scope_, before);
  if (!object) return {};
  if (!object->made_at) {
    if (scope_.is_stored(0)) return {std::nullopt, SkipReason::kThisOverwritten};
    return some_value(object->type, [](Snippet& made) { made.aload_0(); });
  }
  if (object->on_top) return top_of_stack(object->type, calls, code, captured);
  if (object->slot) return load(object->type, *object->slot);
  return {};
}

std::optional<Snippet> SiteCode::behind_constructor(const Calls& calls, const Site& site,
                                                    Label constructor, const TypeState& before,
                                                    const TypeState* behind, CallRefusal& refusal) {
  Snippet code = scope_.editor.snippet();
  std::vector<Captured> captured;
  PatchPlace place{scope_, site, behind};
  place.stack = object_behind(constructor, before, calls, code, captured);
  if (!append(calls, place, code, refusal)) return std::nullopt;
  forget(captured, code);
  return code;
}

std::optional<SiteCode::Around> SiteCode::around(const Calls& before, const Calls& behind,
                                                 const Site& site, const TypeState* state_before,
                                                 const TypeState* state_behind,
                                                 bool this_initialized, CallRefusal& refusal) {
  const Operands operands = operands_of(site, scope_.code);
  Snippet code_before = scope_.editor.snippet();
  Snippet code_behind = scope_.editor.snippet();
  PatchPlace place_before{scope_, site, state_before, this_initialized};
  PatchPlace place_behind{scope_, site, state_behind, this_initialized};

  // Selects the operands to be stored in slots: the deepest one needed, which requires popping all
  // above it.
  const bool value_kept = operands.value_is_kept && any_uses(behind, is_top);
  const bool value_wanted = operands.value && (any_uses(before, is_top) || value_kept);
  const bool target_wanted =
      operands.target && (any_uses(before, is_target) || any_uses(behind, is_target));
  const bool by_dup = value_wanted && !value_kept && !target_wanted && only_first(before, is_top);
  for (const auto& [wanted, index] :
       {std::pair(value_wanted, operands.value), std::pair(target_wanted, operands.target)}) {
    if (!wanted) continue;
    const SkipReason why = check_initialized(operands, *index, scope_, site, state_before);
    if (why == SkipReason::kNone) continue;
    refusal = {why, index == operands.target ? "TARGET" : "STACK"};
    return std::nullopt;
  }
  std::vector<Captured> captured_before, captured_behind;
  std::vector<std::uint32_t> slots;
  if ((value_wanted || target_wanted) && !by_dup) {
    const std::size_t lowest = target_wanted ? *operands.target : *operands.value;
    capture(operands, lowest, code_before, slots, captured_before);
  }
  const auto operand = [&](std::size_t index) {
    const std::string& type = operands.before[index];
    return by_dup ? duplicate(type) : load(type, slots[index]);
  };
  if (value_wanted) place_before.stack = operand(*operands.value);
  if (target_wanted) place_before.target = place_behind.target = operand(*operands.target);
  if (operands.value_is_kept) {
    if (value_kept) place_behind.stack = operand(*operands.value);
  } else {
    place_behind.stack = top_of_stack(operands.result, behind, code_behind, captured_behind);
  }
  if (site.kind == SiteKind::kCall && site.name == "<init>" && state_before != nullptr) {
    place_behind.stack =
        object_behind(site.label, *state_before, behind, code_behind, captured_behind);
  }

  if (!append(before, place_before, code_before, refusal) ||
      !append(behind, place_behind, code_behind, refusal)) {
    return std::nullopt;
  }
  const bool spans = value_kept || (target_wanted && any_uses(behind, is_target));
  forget(captured_before, spans ? code_behind : code_before);
  forget(captured_behind, code_behind);
  return Around{std::move(code_before), std::move(code_behind)};
}

}  // namespace bci
