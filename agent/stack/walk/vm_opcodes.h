// The opcodes by which the VM's interpreter replaces those of a class file (bytecodes.hpp; the same
// from JDK 17 to 25), and their originals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace ddm {

// nullopt for a breakpoint, which hides the original opcode, and for invalid opcodes.
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
