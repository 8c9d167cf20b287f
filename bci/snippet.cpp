#include "bci/snippet.h"

#include <algorithm>
#include <limits>

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

std::uint16_t Snippet::checked(std::uint16_t index) {
  if (index == 0) problem_ = SkipReason::kPoolFull;
  return index;
}

Snippet& Snippet::aload_0() {
  code_.u1(kAload0);
  grow(1);
  return *this;
}

void Snippet::access_local(std::uint8_t opcode, std::uint32_t slot) {
  if (slot > std::numeric_limits<std::uint8_t>::max()) {
    code_.u1(kWide);
    code_.u1(opcode);
    code_.u2(slot);
  } else {
    code_.u1(opcode);
    code_.u1(slot);
  }
}

Snippet& Snippet::load(ValueKind kind, std::uint32_t slot) {
  if (kind == ValueKind::kReference && slot == 0) return aload_0();
  access_local(static_cast<std::uint8_t>(kIload + static_cast<int>(kind)), slot);
  grow(static_cast<int>(slots_of(kind)));
  return *this;
}

Snippet& Snippet::store(ValueKind kind, std::uint32_t slot) {
  access_local(static_cast<std::uint8_t>(kIstore + static_cast<int>(kind)), slot);
  grow(-static_cast<int>(slots_of(kind)));
  return *this;
}

Snippet& Snippet::dup(ValueKind kind) {
  code_.u1(slots_of(kind) == 2 ? kDup2 : kDup);
  grow(static_cast<int>(slots_of(kind)));
  return *this;
}

Snippet& Snippet::drop(ValueKind kind) {
  code_.u1(slots_of(kind) == 2 ? kPop2 : kPop);
  grow(-static_cast<int>(slots_of(kind)));
  return *this;
}

void Snippet::constant(std::uint8_t opcode, std::uint16_t index, int slots) {
  code_.u1(opcode);
  code_.u2(checked(index));
  grow(slots);
}

Snippet& Snippet::push(std::int32_t value) {
  if (value >= -1 && value <= 5) {
    code_.u1(static_cast<std::uint32_t>(kIconst0 + value));
  } else if (value >= std::numeric_limits<std::int8_t>::min() &&
             value <= std::numeric_limits<std::int8_t>::max()) {
    code_.u1(kBipush);
    code_.u1(static_cast<std::uint32_t>(value));
  } else if (value >= std::numeric_limits<std::int16_t>::min() &&
             value <= std::numeric_limits<std::int16_t>::max()) {
    code_.u1(kSipush);
    code_.u2(static_cast<std::uint32_t>(value));
  } else {
    constant(kLdcW, pool_->add_integer(value), 1);
    return *this;
  }
  grow(1);
  return *this;
}

Snippet& Snippet::push_long(std::int64_t value) {
  if (value >= std::numeric_limits<std::int16_t>::min() &&
      value <= std::numeric_limits<std::int16_t>::max()) {
    return push(static_cast<std::int32_t>(value)).widen(ValueKind::kInt, ValueKind::kLong);
  }
  constant(kLdc2W, pool_->add_long(value), 2);
  return *this;
}

Snippet& Snippet::push_double(double value) {
  constant(kLdc2W, pool_->add_double(value), 2);
  return *this;
}

Snippet& Snippet::push_float_zero() {
  code_.u1(kFconst0);
  grow(1);
  return *this;
}

Snippet& Snippet::push_text(std::string_view text) {
  constant(kLdcW, pool_->add_string(text), 1);
  return *this;
}

Snippet& Snippet::push_class(std::string_view name) {
  constant(kLdcW, pool_->find_or_add_class(name), 1);
  return *this;
}

Snippet& Snippet::push_null() {
  code_.u1(kAconstNull);
  grow(1);
  return *this;
}

Snippet& Snippet::get_field(std::string_view owner, std::string_view name, std::string_view type,
                            bool is_static) {
  constant(is_static ? kGetstatic : kGetfield, pool_->add_field(owner, name, type),
           static_cast<int>(slots_of(type)) - (is_static ? 0 : 1));
  return *this;
}

Snippet& Snippet::widen(ValueKind from, ValueKind to) {
  if (from == to) return *this;
  if (from == ValueKind::kInt && to == ValueKind::kLong) {
    code_.u1(kI2l);
  } else if (from == ValueKind::kInt && to == ValueKind::kDouble) {
    code_.u1(kI2d);
  } else if (from == ValueKind::kFloat && to == ValueKind::kDouble) {
    code_.u1(kF2d);
  } else {
    problem_ = SkipReason::kBadHook;
  }
  grow(1);
  return *this;
}

Snippet& Snippet::and_ints() {
  code_.u1(kIand);
  grow(-1);
  return *this;
}

Snippet& Snippet::call(const HookMethod& hook) {
  const auto descriptor = MethodDescriptor::parse(hook.descriptor);
  if (!descriptor) {
    problem_ = SkipReason::kBadHook;
    return *this;
  }
  constant(kInvokestatic, pool_->add_method(hook.owner, hook.name, hook.descriptor),
           static_cast<int>(slots_of(descriptor->result)) -
               static_cast<int>(descriptor->argument_slots));
  return *this;
}

}  // namespace bci
