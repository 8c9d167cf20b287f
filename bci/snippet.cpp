#include "bci/snippet.h"

#include <algorithm>
#include <limits>

#include "bci/descriptor.h"
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

Snippet& Snippet::aload_0() {
  code_.u1(kAload0);
  grow(1);
  return *this;
}

Snippet& Snippet::dup() {
  code_.u1(kDup);
  grow(1);
  return *this;
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
    const std::uint16_t index = pool_->add_integer(value);
    if (index == 0) problem_ = SkipReason::kPoolFull;
    code_.u1(kLdcW);
    code_.u2(index);
  }
  grow(1);
  return *this;
}

Snippet& Snippet::call(const HookMethod& hook) {
  const auto descriptor = MethodDescriptor::parse(hook.descriptor);
  if (!descriptor || descriptor->result != "V") {
    problem_ = SkipReason::kBadHook;
    return *this;
  }
  const std::uint16_t index = pool_->add_method(hook.owner, hook.name, hook.descriptor);
  if (index == 0) problem_ = SkipReason::kPoolFull;
  code_.u1(kInvokestatic);
  code_.u2(index);
  grow(-static_cast<int>(descriptor->argument_slots));
  return *this;
}

}  // namespace bci
