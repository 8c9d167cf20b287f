// What the VM stores of a method's code: bytecode with opcodes of its interpreter (bytecodes.hpp; the
// same from JDK 17 to 25), followed by a line table (CompressedLineNumberWriteStream in HotSpot).
//
//   entry   u1: 5 bits bytecode distance, 3 bits line distance to the previous entry; or
//           0xff, and both as signed numbers (number_stream.h)
//   end     u1 0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stack/names/name_table.h"

namespace ddm {

// The original of an opcode. nullopt for a breakpoint, which hides it, and for invalid opcodes.
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

// The lines in the table's order. nullopt: it does not end properly, or exceeds `code_size`.
std::optional<std::vector<LineEntry>> read_line_table(std::span<const std::uint8_t> table,
                                                      std::uint8_t stream_base,
                                                      std::size_t code_size);

}  // namespace ddm
