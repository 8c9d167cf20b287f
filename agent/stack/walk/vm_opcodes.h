// The opcodes that the VM's interpreter puts in the place of a class file's own (bytecodes.hpp; the same
// from JDK 17 to 25): what they were.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace ddm {

// Nothing for a breakpoint, which hides the opcode that it stands for, and for what is no opcode.
inline std::optional<std::uint8_t> java_opcode(std::uint8_t opcode) {
  constexpr std::uint8_t kLast = 201, kFirstFast = 203;
  constexpr std::uint8_t kGetfield = 180, kPutfield = 181, kAload0 = 42, kIload = 21, kLdc = 18,
                         kLdcW = 19, kReturn = 177, kInvokevirtual = 182, kLookupswitch = 171;
  constexpr std::array<std::uint8_t, 35> kFast{
      kGetfield, kGetfield, kGetfield,      kGetfield,      kGetfield,     kGetfield,     kGetfield,
      kGetfield, kPutfield, kPutfield,      kPutfield,      kPutfield,     kPutfield,     kPutfield,
      kPutfield, kPutfield, kPutfield,      kAload0,        kAload0,       kAload0,       kAload0,
      kIload,    kIload,    kIload,         kInvokevirtual, kLookupswitch, kLookupswitch, kLdc,
      kLdcW,     kReturn,   kInvokevirtual, kGetfield,      kPutfield,     kAload0,       kIload};
  if (opcode <= kLast) return opcode;
  if (opcode < kFirstFast || opcode - kFirstFast >= static_cast<int>(kFast.size())) return {};
  return kFast[opcode - kFirstFast];
}

}  // namespace ddm
