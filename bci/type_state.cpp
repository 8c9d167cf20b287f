#include "bci/type_state.h"

#include <algorithm>

#include "bci/descriptor.h"
#include "bci/opcodes.h"
#include "bci/simple_effects.h"

namespace bci {
namespace {

bool pop(TypeState& state, std::size_t slots) {
  if (state.stack.size() < slots) return false;
  state.stack.resize(state.stack.size() - slots);
  return true;
}

// Always true: what step() returns where nothing can be wrong.
bool push(TypeState& state, FlowType type) {
  append_slots(state.stack, type);
  return true;
}

FlowType object(std::string_view name) { return {kObject, name}; }

// Type of a field descriptor.
FlowType type_of(std::string_view descriptor) {
  const ValueKind kind = kind_of(descriptor);
  if (kind == ValueKind::kReference) return object(class_name_of(descriptor));
  return {kTagOfKind[static_cast<int>(kind)]};
}

FlowType load(const TypeState& state, std::size_t slot) {
  return slot < state.locals.size() ? state.locals[slot] : FlowType{};
}

// Pops a value of `slots` slots into a local. Overwriting one half of a long or double invalidates
// both (JVMS 4.10.1.7).
bool store(TypeState& state, std::size_t slot, std::size_t slots) {
  if (state.stack.size() < slots) return false;
  std::vector<FlowType>& locals = state.locals;
  if (locals.size() < slot + slots) locals.resize(slot + slots);
  if (slot > 0 && is_two_slots(locals[slot - 1].tag)) locals[slot - 1] = {};
  const std::size_t last = slot + slots - 1;
  if (is_two_slots(locals[last].tag) && last + 1 < locals.size()) locals[last + 1] = {};
  std::copy(state.stack.end() - static_cast<std::ptrdiff_t>(slots), state.stack.end(),
            locals.begin() + static_cast<std::ptrdiff_t>(slot));
  return pop(state, slots);
}

// The dup instructions operate on slots: copies the top `taken` slots to below the next `below`
// slots.
bool duplicate(TypeState& state, std::size_t taken, std::size_t below) {
  std::vector<FlowType>& stack = state.stack;
  if (stack.size() < taken + below) return false;
  const std::vector<FlowType> copy(stack.end() - static_cast<std::ptrdiff_t>(taken), stack.end());
  stack.insert(stack.end() - static_cast<std::ptrdiff_t>(taken + below), copy.begin(), copy.end());
  return true;
}

}  // namespace

bool TypeState::has_uninitialized_this() const {
  const auto is_in = [](const std::vector<FlowType>& slots) {
    return std::ranges::find(slots, kUninitializedThis, &FlowType::tag) != slots.end();
  };
  return is_in(locals) || is_in(stack);
}

std::string_view TypeSimulator::array_of(std::string_view component) {
  if (component.empty()) return {};
  if (component[0] == '[') return made_names_.emplace_back("[" + std::string(component));
  return made_names_.emplace_back("[L" + std::string(component) + ";");
}

bool TypeSimulator::enter(const MethodShape& method, TypeState& state) {
  const auto descriptor = MethodDescriptor::parse(method.descriptor);
  if (!descriptor) return false;
  if (!method.is_static) {
    // Object's own constructor starts with an initialized `this`.
    const bool uninitialized = method.name == "<init>" && class_name_ != "java/lang/Object";
    state.locals.push_back(uninitialized ? FlowType{kUninitializedThis} : object(class_name_));
  }
  for (std::string_view rest = descriptor->arguments; !rest.empty();) {
    append_slots(state.locals, type_of(*take_type(rest)));
  }
  return true;
}

bool TypeSimulator::step(Label label, TypeState& state) {
  const Effect& effect = kEffects[code_.instructions[label].opcode];
  if (!effect.simple) return step_other(label, state);
  if (!pop(state, effect.popped_slots)) return false;
  return effect.pushed == kTop || push(state, {effect.pushed});
}

bool TypeSimulator::step_other(Label label, TypeState& state) {
  const ByteSpan bytes = code_.bytes_of(label);
  const std::uint8_t op = bytes[0];
  const auto index = [&] { return read_u2(&bytes[1]); };
  if (op >= kAload0 && op <= kAload3) {
    return push(state, load(state, op - std::size_t{kAload0}));
  }
  if (const auto stored = store_of(bytes)) return store(state, stored->slot, stored->slots);
  switch (op) {
    case kLdc:
      return load_constant(bytes[1], state);
    case kLdcW:
    case kLdc2W:
      return load_constant(index(), state);
    case kAload:
      return push(state, load(state, bytes[1]));
    case kAaload: {
      if (state.stack.size() < 2) return false;
      const FlowType array = state.stack[state.stack.size() - 2];
      pop(state, 2);
      // The element of null is null; of anything but a known array, unknown.
      FlowType element = array.tag == kNull ? array : FlowType{};
      if (array.tag == kObject && array.name.size() > 1 && array.name[0] == '[') {
        element = type_of(array.name.substr(1));
      }
      return push(state, element);
    }
    case kDup:
      return duplicate(state, 1, 0);
    case kDupX1:
      return duplicate(state, 1, 1);
    case kDupX2:
      return duplicate(state, 1, 2);
    case kDup2:
      return duplicate(state, 2, 0);
    case kDup2X1:
      return duplicate(state, 2, 1);
    case kDup2X2:
      return duplicate(state, 2, 2);
    case kSwap:
      if (state.stack.size() < 2) return false;
      std::swap(state.stack.back(), state.stack[state.stack.size() - 2]);
      return true;
    case kNew:
      return push(state, {kUninitialized, {}, label});
    case kNewarray: {
      const std::string_view name = primitive_array(bytes[1]);
      return !name.empty() && pop(state, 1) && push(state, object(name));
    }
    case kAnewarray: {
      const std::string_view name = array_of(pool_.class_name(index()));
      return !name.empty() && pop(state, 1) && push(state, object(name));
    }
    case kCheckcast:
    case kMultianewarray: {
      const std::string_view name = pool_.class_name(index());
      return !name.empty() && pop(state, op == kCheckcast ? 1 : bytes[3]) &&
             push(state, object(name));
    }
    case kWide:
      return step_wide(bytes, state);
    default:
      return step_member(op, index(), state);
  }
}

// Of all but stores.
bool TypeSimulator::step_wide(ByteSpan bytes, TypeState& state) {
  const std::uint8_t op = bytes[1];
  if (op == kAload) return push(state, load(state, read_u2(&bytes[2])));
  if (op < kIload || op > kAload) return true;  // iinc and ret change no type
  return push(state, {kTagOfKind[op - std::size_t{kIload}]});
}

bool TypeSimulator::step_member(std::uint8_t op, std::uint16_t index, TypeState& state) {
  const auto member = pool_.member(index);
  if (!member) return false;
  if (is_invoke(op)) return step_invoke(op, *member, state);
  std::string_view rest = member->descriptor;
  const auto type = take_type(rest);
  if (!type) return false;
  const bool is_static = (op - kGetstatic) < 2;  // getstatic putstatic getfield putfield
  const bool is_put = (op - kGetstatic) % 2 == 1;
  if (!pop(state, (is_put ? slots_of(*type) : 0) + (is_static ? 0 : 1))) return false;
  return is_put || push(state, type_of(*type));
}

bool TypeSimulator::step_invoke(std::uint8_t op, const ConstantPool::Member& member,
                                TypeState& state) {
  const auto descriptor = MethodDescriptor::parse(member.descriptor);
  if (!descriptor || !pop(state, descriptor->argument_slots)) return false;
  if (op != kInvokestatic && op != kInvokedynamic) {
    if (state.stack.empty()) return false;
    const FlowType receiver = state.stack.back();
    state.stack.pop_back();
    if (op == kInvokespecial && member.name == "<init>") initialize(receiver, state);
  }
  return descriptor->result == "V" || push(state, type_of(descriptor->result));
}

void TypeSimulator::initialize(const FlowType& uninitialized, TypeState& state) {
  FlowType made;
  if (uninitialized.tag == kUninitializedThis) {
    made = object(class_name_);
  } else if (uninitialized.tag == kUninitialized) {
    made = object(pool_.class_name(read_u2(&code_.bytes_of(uninitialized.made_at)[1])));
  } else {
    return;
  }
  std::ranges::replace(state.locals, uninitialized, made);
  std::ranges::replace(state.stack, uninitialized, made);
}

bool TypeSimulator::load_constant(std::uint16_t index, TypeState& state) {
  switch (pool_.tag(index)) {
    case kInteger:
      return push(state, {kInt});
    case kFloat:
      return push(state, {kFloatType});
    case kLong:
      return push(state, {kLongType});
    case kDouble:
      return push(state, {kDoubleType});
    case kString:
      return push(state, object("java/lang/String"));
    case kClass:
      return push(state, object("java/lang/Class"));
    case kMethodHandle:
      return push(state, object("java/lang/invoke/MethodHandle"));
    case kMethodType:
      return push(state, object("java/lang/invoke/MethodType"));
    case kDynamic: {
      const auto member = pool_.member(index);
      std::string_view rest = member ? member->descriptor : std::string_view{};
      const auto type = take_type(rest);
      return type && push(state, type_of(*type));
    }
    default:
      return false;
  }
}

}  // namespace bci
