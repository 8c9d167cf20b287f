// Stack effects of the instructions whose effect depends neither on operands nor on the stack (JVMS
// 6.5): the number of slots popped and the type pushed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bci/stack_map.h"

namespace bci {

struct Effect {
  bool simple = false;
  std::uint8_t popped_slots = 0;
  std::uint8_t pushed = kTop;  // the type; kTop: nothing
};

struct EffectOfRange {
  std::uint8_t first, last;  // opcodes
  std::uint8_t popped_slots;
  std::uint8_t pushed;
};

inline constexpr EffectOfRange kSimpleInstructions[] = {
    {0x00, 0x00, 0, kTop},         // nop
    {0x01, 0x01, 0, kNull},        // aconst_null
    {0x02, 0x08, 0, kInt},         // iconst_m1 .. iconst_5
    {0x09, 0x0a, 0, kLongType},    // lconst_0, lconst_1
    {0x0b, 0x0d, 0, kFloatType},   // fconst_0 .. fconst_2
    {0x0e, 0x0f, 0, kDoubleType},  // dconst_0, dconst_1
    {0x10, 0x11, 0, kInt},         // bipush, sipush
    {0x15, 0x15, 0, kInt},         // iload
    {0x16, 0x16, 0, kLongType},    // lload
    {0x17, 0x17, 0, kFloatType},   // fload
    {0x18, 0x18, 0, kDoubleType},  // dload
    {0x1a, 0x1d, 0, kInt},         // iload_0 .. iload_3
    {0x1e, 0x21, 0, kLongType},    // lload_0 .. lload_3
    {0x22, 0x25, 0, kFloatType},   // fload_0 .. fload_3
    {0x26, 0x29, 0, kDoubleType},  // dload_0 .. dload_3
    {0x2e, 0x2e, 2, kInt},         // iaload
    {0x2f, 0x2f, 2, kLongType},    // laload
    {0x30, 0x30, 2, kFloatType},   // faload
    {0x31, 0x31, 2, kDoubleType},  // daload
    {0x33, 0x35, 2, kInt},         // baload .. saload
    {0x4f, 0x4f, 3, kTop},         // iastore
    {0x50, 0x50, 4, kTop},         // lastore
    {0x51, 0x51, 3, kTop},         // fastore
    {0x52, 0x52, 4, kTop},         // dastore
    {0x53, 0x56, 3, kTop},         // aastore .. sastore
    {0x57, 0x57, 1, kTop},         // pop
    {0x58, 0x58, 2, kTop},         // pop2
    {0x84, 0x84, 0, kTop},         // iinc
    {0x85, 0x85, 1, kLongType},    // i2l
    {0x86, 0x86, 1, kFloatType},   // i2f
    {0x87, 0x87, 1, kDoubleType},  // i2d
    {0x88, 0x88, 2, kInt},         // l2i
    {0x89, 0x89, 2, kFloatType},   // l2f
    {0x8a, 0x8a, 2, kDoubleType},  // l2d
    {0x8b, 0x8b, 1, kInt},         // f2i
    {0x8c, 0x8c, 1, kLongType},    // f2l
    {0x8d, 0x8d, 1, kDoubleType},  // f2d
    {0x8e, 0x8e, 2, kInt},         // d2i
    {0x8f, 0x8f, 2, kLongType},    // d2l
    {0x90, 0x90, 2, kFloatType},   // d2f
    {0x91, 0x93, 1, kInt},         // i2b .. i2s
    {0x94, 0x94, 4, kInt},         // lcmp
    {0x95, 0x96, 2, kInt},         // fcmpl, fcmpg
    {0x97, 0x98, 4, kInt},         // dcmpl, dcmpg
    {0x99, 0x9e, 1, kTop},         // ifeq .. ifle
    {0x9f, 0xa6, 2, kTop},         // if_icmpeq .. if_acmpne
    {0xa7, 0xa9, 0, kTop},         // goto .. ret
    {0xaa, 0xac, 1, kTop},         // tableswitch .. ireturn
    {0xad, 0xad, 2, kTop},         // lreturn
    {0xae, 0xae, 1, kTop},         // freturn
    {0xaf, 0xaf, 2, kTop},         // dreturn
    {0xb0, 0xb0, 1, kTop},         // areturn
    {0xb1, 0xb1, 0, kTop},         // return
    {0xbe, 0xbe, 1, kInt},         // arraylength
    {0xbf, 0xbf, 1, kTop},         // athrow
    {0xc1, 0xc1, 1, kInt},         // instanceof
    {0xc2, 0xc3, 1, kTop},         // monitorenter, monitorexit
    {0xc6, 0xc7, 1, kTop},         // ifnull, ifnonnull
    {0xc8, 0xc9, 0, kTop},         // goto_w, jsr_w
};

// iadd ladd fadd dadd isub lsub ... drem, then ineg lneg fneg dneg: of int, long, float and double in
// turn.
inline constexpr std::uint8_t kFirstBinary = 0x60, kFirstUnary = 0x74, kLastUnary = 0x77;
// ishl lshl ishr lshr iushr lushr, then iand land ior lor ixor lxor: of int and long in turn.
inline constexpr std::uint8_t kFirstShift = 0x78, kFirstBitwise = 0x7e, kLastBitwise = 0x83;

constexpr Effect effect_of_arithmetic(std::size_t opcode) {
  const std::uint8_t type = kTagOfKind[opcode <= kLastUnary ? opcode % 4 : opcode % 2];
  const std::uint8_t slots = is_two_slots(type) ? 2 : 1;
  const bool shifts = opcode >= kFirstShift && opcode < kFirstBitwise;
  const bool unary = opcode >= kFirstUnary && opcode <= kLastUnary;
  const int right = shifts ? 1 : unary ? 0 : slots;  // a distance is an int
  return {true, static_cast<std::uint8_t>(slots + right), type};
}

inline constexpr std::array<Effect, 256> kEffects = [] {
  std::array<Effect, 256> effects{};
  for (std::size_t opcode = kFirstBinary; opcode <= kLastBitwise; ++opcode) {
    effects[opcode] = effect_of_arithmetic(opcode);
  }
  for (const EffectOfRange& range : kSimpleInstructions) {
    for (int opcode = range.first; opcode <= range.last; ++opcode) {
      effects[static_cast<std::size_t>(opcode)] = {true, range.popped_slots, range.pushed};
    }
  }
  return effects;
}();

}  // namespace bci
