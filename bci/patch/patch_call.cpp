#include "bci/patch/patch_call.h"

namespace bci {
namespace {

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
      if (!value) return false;
      values.push_back(std::move(*value));
    }
    const auto descriptor = choose(values);
    if (!descriptor) return refuse(SkipReason::kTypeMismatch, unfit(values));
    const auto types = descriptor->argument_types();
    for (std::size_t i = 0; i < values.size(); ++i) push(values[i], types[i], code_);
    for (std::size_t i = 0; i < call_.conditions.size(); ++i) {
      if (!write_condition(call_.conditions[i])) return false;
      if (i > 0) code_.and_ints();
    }
    code_.call({call_.sink.owner, call_.sink.name, chosen_});
    return keep_result(descriptor->result);
  }

 private:
  bool refuse(SkipReason why, std::string detail) {
    refusal_ = {why, std::move(detail)};
    return false;
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

  bool write_condition(const PatchCondition& condition) {
    const auto left = find(condition.left);
    if (!left) return false;
    const auto relation = static_cast<std::int32_t>(condition.relation);
    const bool is_number = !left->type.empty() && kind_of(left->type) != ValueKind::kReference;
    if (const auto* integer = std::get_if<std::int64_t>(&condition.right)) {
      if (fits(left->type, "J") && is_number) {
        push(*left, "J", code_);
        code_.push(relation).push_long(*integer).call({test_class_, "test", "(JIJ)Z"});
        return true;
      }
      return compare_double(condition, *left, static_cast<double>(*integer));
    }
    if (const auto* number = std::get_if<double>(&condition.right)) {
      return compare_double(condition, *left, *number);
    }
    if (is_number || relation > static_cast<std::int32_t>(Relation::kNotEqual)) {
      return refuse(SkipReason::kTypeMismatch, describe(condition.left));
    }
    left->push(code_);
    code_.push(relation);
    if (const auto* text = std::get_if<std::string>(&condition.right)) {
      code_.push_text(*text);
      code_.call({test_class_, "test", "(Ljava/lang/Object;ILjava/lang/String;)Z"});
    } else {
      code_.call({test_class_, "test", "(Ljava/lang/Object;I)Z"});
    }
    return true;
  }

  bool compare_double(const PatchCondition& condition, const PatchValue& left, double right) {
    // A long is not converted to double, which may round.
    if (left.type.empty() || !fits(left.type, "D")) {
      return refuse(SkipReason::kTypeMismatch, describe(condition.left));
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

}  // namespace

bool append_call(const PatchCall& call, const std::string& test_class, const PatchPlace& place,
                 Snippet& code, CallRefusal& refusal) {
  return CallWriter(call, test_class, place, code, refusal).write();
}

}  // namespace bci
