#include "bci/snippet.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bci/opcodes.h"

namespace bci {
namespace {

struct Character {
  unsigned point = 0;
  std::size_t length = 0;  // 0: malformed
};

// The first character of a text in UTF-8, modified or not.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc0 || lead > 0xf4 || text.size() < length) return {};
  unsigned point = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3f);
  }
  // The VM takes no longer form than is needed, but for C0 80.
  constexpr unsigned kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_nul = length == 2 && point == 0;
  if ((point < kSmallest[length] && !is_nul) || point > 0x10ffff) return {};
  return {point, length};
}

// As a class file has it (JVMS 4.4.7): U+0000 is C0 80, and a character of four bytes is two surrogates
// of three bytes each. nullopt: the text is malformed.
std::optional<std::string> modified_utf8(std::string_view text) {
  std::string modified;
  for (Character next; !text.empty(); text.remove_prefix(next.length)) {
    next = first_character(text);
    if (next.length == 0) return std::nullopt;
    if (next.point == 0) {
      modified += "\xc0\x80";
    } else if (next.length < 4) {
      modified += text.substr(0, next.length);
    } else {
      const unsigned above = next.point - 0x10000;
      for (const unsigned unit : {0xd800 | above >> 10, 0xdc00 | (above & 0x3ff)}) {
        modified += '\xed';
        modified += static_cast<char>(0x80 | (unit >> 6 & 0x3f));
        modified += static_cast<char>(0x80 | (unit & 0x3f));
      }
    }
  }
  return modified;
}

}  // namespace

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
  const auto modified = modified_utf8(text);
  if (!modified) problem_ = SkipReason::kBadHook;
  return indexed(kLdcW, pool_->add_string(modified.value_or("")), 1);
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
Snippet& Snippet::or_ints() { return one_byte(kIor, -1); }

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
