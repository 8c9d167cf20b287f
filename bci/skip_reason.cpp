#include "bci/skip_reason.h"

namespace bci {

std::string_view to_string(SkipReason reason) {
  switch (reason) {
    case SkipReason::kNone:
      return "none";
    case SkipReason::kNotAClassFile:
      return "not-a-class-file";
    case SkipReason::kOldCodeFormat:
      return "old-code-format";
    case SkipReason::kUnknownConstant:
      return "unknown-constant";
    case SkipReason::kOutOfMemory:
      return "out-of-memory";
    case SkipReason::kBadBytecode:
      return "bad-bytecode";
    case SkipReason::kBadCodeAttribute:
      return "bad-code-attribute";
    case SkipReason::kUnknownFrame:
      return "unknown-frame";
    case SkipReason::kCodeTooLong:
      return "code-too-long";
    case SkipReason::kStackTooDeep:
      return "stack-too-deep";
    case SkipReason::kPoolFull:
      return "pool-full";
    case SkipReason::kTooManyLocals:
      return "too-many-locals";
    case SkipReason::kTableFull:
      return "table-full";
    case SkipReason::kNoFrameState:
      return "no-frame-state";
    case SkipReason::kSuperCallNotUnique:
      return "super-call-not-unique";
    case SkipReason::kThisNotInitialized:
      return "this-not-initialized";
    case SkipReason::kTooComplex:
      return "too-complex";
    case SkipReason::kVmLimit:
      return "vm-limit";
    case SkipReason::kNoCode:
      return "no-code";
    case SkipReason::kHoldsSink:
      return "holds-sink";
    case SkipReason::kStaticMethod:
      return "static-method";
    case SkipReason::kThisOverwritten:
      return "this-overwritten";
    case SkipReason::kNotInitialized:
      return "not-initialized";
    case SkipReason::kNoValue:
      return "no-value";
    case SkipReason::kNoSuchVariable:
      return "no-such-variable";
    case SkipReason::kTypeUnknown:
      return "type-unknown";
    case SkipReason::kTypeMismatch:
      return "type-mismatch";
    case SkipReason::kNoId:
      return "no-id";
    case SkipReason::kBadHook:
      return "bad-hook";
  }
  return "unknown";
}

}  // namespace bci
