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

class Fnv1a {
 public:
  void add(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ull; }
  void add(ByteSpan bytes) {
    for (const std::uint8_t byte : bytes) add(byte);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace

std::uint64_t code_shape(ByteSpan bytecode) {
  Fnv1a hash;
  for (std::size_t at = 0; at < bytecode.size();) {
    const std::size_t length = instruction_length(bytecode, at);
    if (length == 0) {  // not understood, so never rewritten
      hash.add(bytecode.subspan(at));
      break;
    }
    hash.add(has_pool_index(bytecode[at]) ? bytecode.subspan(at, 1) : bytecode.subspan(at, length));
    at += length;
  }
  return hash.value();
}

}  // namespace bci
