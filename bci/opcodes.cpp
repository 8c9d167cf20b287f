#include "bci/opcodes.h"

#include <iterator>

namespace bci {
namespace {

// A digit per opcode, sixteen per row; 0 = variable length or unknown.
constexpr char kDigits[] =
    "1111111111111111"   // 00 constants
    "2323322222111111"   // 10 bipush sipush ldc ldc_w ldc2_w, loads
    "1111111111111111"   // 20 loads
    "1111112222211111"   // 30 array loads, stores
    "1111111111111111"   // 40
    "1111111111111111"   // 50 array stores, stack operations
    "1111111111111111"   // 60 arithmetic
    "1111111111111111"   // 70
    "1111311111111111"   // 80 iinc
    "1111111113333333"   // 90 conversions, comparisons, if
    "3333333332001111"   // a0 if, goto, jsr, ret, switches, returns
    "1133333335532311"   // b0 fields, invocations, new
    "3311043355000000";  // c0 checkcast instanceof monitors wide multianewarray ifnull goto_w

constexpr InstructionLengths make_lengths() {
  InstructionLengths lengths{};
  for (std::size_t op = 0; op + 1 < sizeof kDigits; ++op) {
    lengths[op] = static_cast<std::uint8_t>(kDigits[op] - '0');
  }
  return lengths;
}

}  // namespace

std::optional<LocalStore> store_of(ByteSpan instruction) {
  const bool wide = instruction[0] == kWide;
  const std::uint8_t op = instruction[wide ? 1 : 0];
  const auto slots_of_kind = [](std::size_t kind) -> std::size_t {  // istore lstore fstore dstore
    return kind == 1 || kind == 3 ? 2 : 1;
  };
  if (op >= kIstore && op <= kAstore) {
    const std::size_t slot = wide ? read_u2(&instruction[2]) : instruction[1];
    return LocalStore{slot, slots_of_kind(op - std::size_t{kIstore})};
  }
  if (op < kIstore0 || op > kAstore3) return std::nullopt;
  const std::size_t which = op - std::size_t{kIstore0};
  return LocalStore{which % 4, slots_of_kind(which / 4)};
}

std::string_view primitive_array(std::uint8_t operand) {
  constexpr std::uint8_t kFirst = 4;  // T_BOOLEAN, JVMS newarray
  constexpr std::string_view kTypes[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
  const std::size_t type = operand - std::size_t{kFirst};
  return type < std::size(kTypes) ? kTypes[type] : std::string_view();
}

constinit const InstructionLengths kInstructionLengths = make_lengths();

std::size_t variable_instruction_length(ByteSpan code, std::size_t at) {
  const std::size_t left = code.size() - at;
  const std::uint8_t op = code[at];
  if (op == kWide) {
    if (left < 2) return 0;
    const std::uint8_t widened = code[at + 1];
    const bool load_or_store =
        (widened >= kIload && widened <= kAload) || (widened >= kIstore && widened <= kAstore);
    if (widened != kIinc && widened != kRet && !load_or_store) return 0;
    return widened == kIinc ? 6 : 4;
  }
  if (!is_switch(op)) return 0;
  // Both switches: opcode, 0 to 3 bytes up to a multiple of 4, default s4, then
  //   tableswitch   low s4, high s4, (high - low + 1) x target s4
  //   lookupswitch  npairs s4, npairs x (match s4, target s4)
  const std::size_t padding = 3 - at % 4;
  const std::size_t fixed = 1 + padding + (op == kTableswitch ? 12 : 8);
  if (left < fixed) return 0;
  const std::uint8_t* body = code.data() + at + 1 + padding;
  std::int64_t entries = 0;
  if (op == kTableswitch) {
    entries = static_cast<std::int64_t>(read_s4(body + 8)) - read_s4(body + 4) + 1;
    if (entries < 1) return 0;
  } else {
    entries = read_s4(body + 4);
    if (entries < 0) return 0;
    entries *= 2;
  }
  if (static_cast<std::uint64_t>(entries) > left / 4) return 0;
  return fixed + 4 * static_cast<std::size_t>(entries);
}

}  // namespace bci
