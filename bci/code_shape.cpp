#include "bci/code_shape.h"

#include "bci/opcodes.h"

namespace bci {
namespace {

// JVMS 6.5: the opcodes with a constant pool index: kLdc..kLdc2W, field instructions, calls, and
// these.
constexpr std::uint8_t kInstanceof = 0xc1;

bool has_pool_index(std::uint8_t op) {
  return (op >= kLdc && op <= kLdc2W) || (op >= kGetstatic && op <= kInvokedynamic) || op == kNew ||
         op == kAnewarray || op == kCheckcast || op == kInstanceof || op == kMultianewarray;
}

}  // namespace

std::uint64_t code_shape(ByteSpan bytecode) {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  const auto add = [&hash](ByteSpan bytes) {
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3ull;
  };
  for (std::size_t at = 0; at < bytecode.size();) {
    const std::size_t length = instruction_length(bytecode, at);
    if (length == 0) {  // not understood, so never rewritten
      add(bytecode.subspan(at));
      break;
    }
    add(bytecode.subspan(at, has_pool_index(bytecode[at]) ? 1 : length));
    at += length;
  }
  return hash;
}

}  // namespace bci
