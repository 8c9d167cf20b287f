// A number that tells bytecode from other bytecode, the same before and after the VM has taken it.
#pragma once

#include <cstdint>

#include "bci/bytes.h"

namespace bci {

// Of opcodes, offsets and all operands but indices into the constant pool: when a class is
// redefined the VM merges the pools and may number their entries anew.
std::uint64_t code_shape(ByteSpan bytecode);

}  // namespace bci
