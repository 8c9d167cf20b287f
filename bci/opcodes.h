// The instruction set (JVMS 6.5): lengths and control flow of every opcode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bci/bytes.h"

namespace bci {

// Only the opcodes that are used by name.
enum Opcode : std::uint8_t {
  kAconstNull = 0x01,
  kIconst0 = 0x03,
  kFconst0 = 0x0b,
  kBipush = 0x10,
  kSipush = 0x11,
  kLdc = 0x12,
  kLdcW = 0x13,
  kLdc2W = 0x14,
  kIload = 0x15,
  kAload = 0x19,
  kAload0 = 0x2a,
  kAload3 = 0x2d,
  kAaload = 0x32,
  kIstore = 0x36,
  kLstore = 0x37,
  kAstore = 0x3a,
  kIstore0 = 0x3b,
  kAstore3 = 0x4e,
  kPop = 0x57,
  kPop2 = 0x58,
  kDup = 0x59,
  kDupX1 = 0x5a,
  kDupX2 = 0x5b,
  kDup2 = 0x5c,
  kDup2X1 = 0x5d,
  kDup2X2 = 0x5e,
  kSwap = 0x5f,
  kIand = 0x7e,
  kIor = 0x80,
  kIinc = 0x84,
  kI2l = 0x85,
  kI2d = 0x87,
  kF2d = 0x8d,
  kIfeq = 0x99,
  kIfAcmpne = 0xa6,
  kGoto = 0xa7,
  kJsr = 0xa8,
  kRet = 0xa9,
  kTableswitch = 0xaa,
  kLookupswitch = 0xab,
  kIreturn = 0xac,
  kReturn = 0xb1,
  kGetstatic = 0xb2,
  kPutstatic = 0xb3,
  kGetfield = 0xb4,
  kPutfield = 0xb5,
  kInvokevirtual = 0xb6,
  kInvokespecial = 0xb7,
  kInvokestatic = 0xb8,
  kInvokeinterface = 0xb9,
  kInvokedynamic = 0xba,
  kNew = 0xbb,
  kNewarray = 0xbc,
  kAnewarray = 0xbd,
  kAthrow = 0xbf,
  kCheckcast = 0xc0,
  kMonitorenter = 0xc2,
  kMonitorexit = 0xc3,
  kWide = 0xc4,
  kMultianewarray = 0xc5,
  kIfnull = 0xc6,
  kIfnonnull = 0xc7,
  kGotoW = 0xc8,
  kJsrW = 0xc9,
};

using InstructionLengths = std::array<std::uint8_t, 256>;
extern const InstructionLengths kInstructionLengths;  // 0 = variable or unknown
std::size_t variable_instruction_length(ByteSpan code, std::size_t at);

// Length in bytes of the instruction at `at` (inside `code`), or 0 if it is unknown or runs past
// the end.
inline std::size_t instruction_length(ByteSpan code, std::size_t at) {
  std::size_t length = kInstructionLengths[code[at]];
  if (length == 0) length = variable_instruction_length(code, at);
  return length <= code.size() - at ? length : 0;
}

inline bool is_conditional(std::uint8_t op) {
  return (op >= kIfeq && op <= kIfAcmpne) || op == kIfnull || op == kIfnonnull;
}
// Branches with one 2-byte or 4-byte offset.
inline bool is_short_branch(std::uint8_t op) {
  return is_conditional(op) || op == kGoto || op == kJsr;
}
inline bool is_wide_branch(std::uint8_t op) { return op == kGotoW || op == kJsrW; }
inline bool is_branch(std::uint8_t op) { return is_short_branch(op) || is_wide_branch(op); }
inline bool is_switch(std::uint8_t op) { return op == kTableswitch || op == kLookupswitch; }
inline bool is_return(std::uint8_t op) { return op >= kIreturn && op <= kReturn; }
inline bool is_invoke(std::uint8_t op) { return op >= kInvokevirtual && op <= kInvokedynamic; }

// The local variable that an instruction stores to.
struct LocalStore {
  std::size_t slot = 0;
  std::size_t slots = 1;  // 2: a long or double
};
std::optional<LocalStore> store_of(ByteSpan instruction);

// The array type of newarray's operand: "[I" for 10, "" for what is none.
std::string_view primitive_array(std::uint8_t operand);

// Opcodes are paired: ifeq/ifne, ..., ifnull/ifnonnull.
inline std::uint8_t inverse_condition(std::uint8_t op) {
  return op >= kIfnull ? static_cast<std::uint8_t>(op ^ 1)
                       : static_cast<std::uint8_t>(((op + 1) ^ 1) - 1);
}

}  // namespace bci
