// A hash of bytecode that does not change when the VM loads the class.
#pragma once

#include <cstdint>

#include "bci/bytes.h"

namespace bci {

// Of opcodes, offsets and all operands except constant pool indices: when a class is redefined, the
// VM merges the pools and may renumber the entries.
std::uint64_t code_shape(ByteSpan bytecode);

}  // namespace bci
