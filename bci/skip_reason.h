// Why a class or a method was not changed. Reports count these by name, see docs/bci.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace bci {

enum class SkipReason : std::uint8_t {
  kNone,
  // The whole class.
  kNotAClassFile,    // no 0xCAFEBABE, truncated, malformed, or bytes left over
  kOldCodeFormat,    // class file 45.0 to 45.2: Code has other field widths
  kUnknownConstant,  // a constant pool tag this library does not know
  kOutOfMemory,      // the rewriter itself could not allocate
  // One method.
  kBadBytecode,       // unknown opcode, truncated, or a target between instructions
  kBadCodeAttribute,  // a table inside Code that does not parse
  kUnknownFrame,      // a StackMapTable entry this library does not know
  kCodeTooLong,       // the code would have more than 65535 bytes
  kStackTooDeep,      // max_stack would be more than 65535
  kPoolFull,          // the constant pool would have more than 65534 entries
  kTooManyLocals,     // max_locals would be more than 65535
  kTableFull,         // exception table or StackMapTable of more than 65535 entries
  kNoFrameState,      // an outgrown branch needs a frame whose types are not known
  // One transformation of one method.
  kSuperCallNotUnique,  // constructor without exactly one this()/super() call
  kThisNotInitialized,  // code behind the this()/super() call that still runs before it
  kTooComplex,          // the flow analysis exceeded its limits
  kVmLimit,             // a limit of the VM, see MethodContext::catch_all_start()
  // One site of a patch.
  kNoCode,           // a native or abstract method
  kHoldsSink,        // the class is one that patches call
  kStaticMethod,     // `this` in a static method
  kThisOverwritten,  // slot 0 is used for something else too
  kNotInitialized,   // the object is not initialized there
  kNoValue,          // there is no such value at that place
  kNoSuchVariable,   // no field, local variable or argument of that name or number there
  kTypeUnknown,      // the type at that place is not known
  kTypeMismatch,     // the values do not fit the sink
  kNoId,             // there is no number for it
  kBadHook,          // arguments that do not fit the place, or a callback that threw
};
inline constexpr int kSkipReasonCount = static_cast<int>(SkipReason::kBadHook) + 1;

// "code-too-long": stable names for reports.
std::string_view to_string(SkipReason reason);

}  // namespace bci
