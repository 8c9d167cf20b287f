#include "bci/snippet.h"

#include <algorithm>
#include <utility>

#include "bci/opcodes.h"

namespace bci {

void Snippet::grow(int slots) {
  depth_ += slots;
  deepest_ = std::max(deepest_, depth_);
}

SkipReason Snippet::problem() const {
  if (problem_ != SkipReason::kNone) return problem_;
  return depth_ == 0 ? SkipReason::kNone : SkipReason::kBadHook;
}

Snippet& Snippet::one_byte(std::uint8_t opcode, int slots) {
  code_.u1(opcode);
  grow(slots);
  return *this;
}

Snippet& Snippet::indexed(std::uint8_t opcode, std::uint16_t index, int slots) {
  if (index == 0) problem_ = SkipReason::kPoolFull;
  code_.u1(opcode).u2(index);
  grow(slots);
  return *this;
}

Snippet& Snippet::access_local(std::uint8_t opcode, std::uint32_t slot, int slots) {
  if (!std::in_range<std::uint8_t>(slot)) {
    code_.u1(kWide).u1(opcode).u2(slot);
  } else {
    code_.u1(opcode).u1(slot);
  }
  grow(slots);
  return *this;
}

Snippet& Snippet::aload_0() { return one_byte(kAload0, 1); }

Snippet& Snippet::load(ValueKind kind, std::uint32_t slot) {
  if (kind == ValueKind::kReference && slot == 0) return aload_0();
  return access_local(static_cast<std::uint8_t>(kIload + static_cast<int>(kind)), slot,
                      static_cast<int>(slots_of(kind)));
}

Snippet& Snippet::store(ValueKind kind, std::uint32_t slot) {
  return access_local(static_cast<std::uint8_t>(kIstore + static_cast<int>(kind)), slot,
                      -static_cast<int>(slots_of(kind)));
}

Snippet& Snippet::dup(ValueKind kind) {
  return slots_of(kind) == 2 ? one_byte(kDup2, 2) : one_byte(kDup, 1);
}

Snippet& Snippet::drop(ValueKind kind) {
  return slots_of(kind) == 2 ? one_byte(kPop2, -2) : one_byte(kPop, -1);
}

Snippet& Snippet::push(std::int32_t value) {
  if (value >= -1 && value <= 5) {
    code_.u1(static_cast<std::uint32_t>(kIconst0 + value));
  } else if (std::in_range<std::int8_t>(value)) {
    code_.u1(kBipush).u1(static_cast<std::uint32_t>(value));
  } else if (std::in_range<std::int16_t>(value)) {
    code_.u1(kSipush).u2(static_cast<std::uint32_t>(value));
  } else {
    return indexed(kLdcW, pool_->add_integer(value), 1);
  }
  grow(1);
  return *this;
}

Snippet& Snippet::push_long(std::int64_t value) {
  if (std::in_range<std::int16_t>(value)) {
    return push(static_cast<std::int32_t>(value)).widen(ValueKind::kInt, ValueKind::kLong);
  }
  return indexed(kLdc2W, pool_->add_long(value), 2);
}

Snippet& Snippet::push_double(double value) { return indexed(kLdc2W, pool_->add_double(value), 2); }

Snippet& Snippet::push_float_zero() { return one_byte(kFconst0, 1); }

Snippet& Snippet::push_text(std::string_view text) {
  return indexed(kLdcW, pool_->add_string(text), 1);
}

Snippet& Snippet::push_class(std::string_view name) {
  return indexed(kLdcW, pool_->find_or_add_class(name), 1);
}

Snippet& Snippet::push_null() { return one_byte(kAconstNull, 1); }

Snippet& Snippet::get_field(std::string_view owner, std::string_view name, std::string_view type,
                            bool is_static) {
  return indexed(is_static ? kGetstatic : kGetfield, pool_->add_field(owner, name, type),
                 static_cast<int>(slots_of(type)) - (is_static ? 0 : 1));
}

Snippet& Snippet::widen(ValueKind from, ValueKind to) {
  if (from == to) return *this;
  if (from == ValueKind::kInt && to == ValueKind::kLong) return one_byte(kI2l, 1);
  if (from == ValueKind::kInt && to == ValueKind::kDouble) return one_byte(kI2d, 1);
  if (from == ValueKind::kFloat && to == ValueKind::kDouble) return one_byte(kF2d, 1);
  problem_ = SkipReason::kBadHook;
  return *this;
}

Snippet& Snippet::and_ints() { return one_byte(kIand, -1); }

Snippet& Snippet::call(const HookMethod& hook) {
  const auto descriptor = MethodDescriptor::parse(hook.descriptor);
  if (!descriptor) {
    problem_ = SkipReason::kBadHook;
    return *this;
  }
  return indexed(kInvokestatic, pool_->add_method(hook.owner, hook.name, hook.descriptor),
                 static_cast<int>(slots_of(descriptor->result)) -
                     static_cast<int>(descriptor->argument_slots));
}

}  // namespace bci
