#include "bci/skip_reason.h"

#include <iterator>

namespace bci {

std::string_view to_string(SkipReason reason) {
  static constexpr std::string_view kNames[] = {"none",
                                                "not-a-class-file",
                                                "old-code-format",
                                                "unknown-constant",
                                                "out-of-memory",
                                                "bad-bytecode",
                                                "bad-code-attribute",
                                                "unknown-frame",
                                                "code-too-long",
                                                "stack-too-deep",
                                                "pool-full",
                                                "too-many-locals",
                                                "table-full",
                                                "no-frame-state",
                                                "super-call-not-unique",
                                                "this-not-initialized",
                                                "too-complex",
                                                "vm-limit",
                                                "no-code",
                                                "holds-sink",
                                                "static-method",
                                                "this-overwritten",
                                                "not-initialized",
                                                "no-value",
                                                "no-such-variable",
                                                "type-unknown",
                                                "type-mismatch",
                                                "no-id",
                                                "bad-hook"};
  static_assert(std::size(kNames) == kSkipReasonCount);
  const auto number = static_cast<std::size_t>(reason);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

}  // namespace bci
