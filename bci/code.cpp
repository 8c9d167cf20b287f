#include "bci/code.h"

#include "bci/opcodes.h"

namespace bci {
namespace {

CodeTable table_kind(std::string_view name) {
  if (name == "LineNumberTable") return CodeTable::kLineNumbers;
  if (name == "LocalVariableTable" || name == "LocalVariableTypeTable") {
    return CodeTable::kLocalVariables;
  }
  if (name == "StackMapTable") return CodeTable::kStackMap;
  if (name == "RuntimeVisibleTypeAnnotations" || name == "RuntimeInvisibleTypeAnnotations") {
    return CodeTable::kTypeAnnotations;
  }
  return CodeTable::kOther;
}

// Bytes from the opcode of a switch to its default offset.
std::size_t switch_header(std::size_t bci) { return 4 - bci % 4; }

}  // namespace

Label Code::label_around(std::uint32_t bci) const {
  if (bci >= labels_.size()) return kNoLabel;
  while (labels_[bci] == kNoLabel) --bci;  // bci 0 always has a label
  return labels_[bci];
}

std::size_t Code::switch_size(Label label) const {
  const std::size_t bci = instructions[label].bci;
  const std::uint8_t* body = bytecode.data() + bci + switch_header(bci);
  if (instructions[label].opcode == kLookupswitch) {
    return 1 + static_cast<std::size_t>(read_s4(body + 4));
  }
  return static_cast<std::size_t>(std::int64_t{read_s4(body + 8)} - read_s4(body + 4) + 2);
}

bool Code::falls_through(Label label) const {
  const std::uint8_t op = instructions[label].opcode;
  const bool wide_ret = op == kWide && bytecode[instructions[label].bci + 1u] == kRet;
  return !(op == kGoto || op == kGotoW || op == kRet || wide_ret || is_switch(op) ||
           is_return(op) || op == kAthrow);
}

std::vector<std::uint8_t> Code::meeting_points() const {
  std::vector<std::uint8_t> points(end_label(), 0);
  for (const Instruction& instruction : instructions) {
    if (is_branch(instruction.opcode)) points[instruction.target] = 1;
  }
  for (const Label label : switch_labels) points[label] = 1;
  for (const ExceptionHandler& handler : handlers) points[handler.handler] = 1;
  return points;
}

bool Code::decode_instructions() {
  labels_.assign(bytecode.size() + 1, kNoLabel);
  instructions.reserve(bytecode.size() / 2);
  for (std::size_t bci = 0; bci < bytecode.size();) {
    const std::size_t length = instruction_length(bytecode, bci);
    if (length == 0) return false;
    labels_[bci] = static_cast<Label>(instructions.size());
    instructions.push_back({static_cast<std::uint16_t>(bci), bytecode[bci], kNoLabel});
    bci += length;
  }
  labels_[bytecode.size()] = end_label();
  if (falls_through(end_label() - 1)) return false;
  for (Instruction& instruction : instructions) {
    if (!decode_targets(instruction)) return false;
  }
  return true;
}

bool Code::decode_targets(Instruction& instruction) {
  const std::uint8_t op = instruction.opcode;
  const std::uint8_t* at = bytecode.data() + instruction.bci;
  const auto label_of = [&](std::int32_t offset) {
    const std::int64_t bci = std::int64_t{instruction.bci} + offset;
    if (bci < 0 || bci >= static_cast<std::int64_t>(bytecode.size())) return kNoLabel;
    return label_at(static_cast<std::uint32_t>(bci));
  };
  if (is_short_branch(op) || is_wide_branch(op)) {
    instruction.target = label_of(is_wide_branch(op) ? read_s4(at + 1) : read_s2(at + 1));
    return instruction.target != kNoLabel;
  }
  if (!is_switch(op)) return true;
  instruction.target = static_cast<Label>(switch_labels.size());
  const std::uint8_t* body = at + switch_header(instruction.bci);
  const std::size_t size = switch_size(label_at(instruction.bci));
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t entry = i == 0 ? 0 : op == kTableswitch ? 8 + 4 * i : 4 + 8 * i;
    const Label label = label_of(read_s4(body + entry));
    if (label == kNoLabel) return false;
    switch_labels.push_back(label);
  }
  return true;
}

bool Code::decode_handlers(ByteReader& in) {
  for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
    ExceptionHandler handler{};
    handler.start = label_at(in.u2());
    handler.end = label_at(in.u2());
    handler.handler = label_at(in.u2());
    handler.catch_type = in.u2();
    if (!in.ok() || handler.start >= end_label() || handler.end == kNoLabel ||
        handler.start >= handler.end || handler.handler >= end_label()) {
      return false;
    }
    handlers.push_back(handler);
  }
  return in.ok();
}

bool Code::decode_attributes(ByteReader& in, const ConstantPool& pool, SkipReason& why) {
  bool has_frames = false;
  for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
    CodeAttribute attribute{};
    attribute.name_index = in.u2();
    // An index beyond the pool would later denote an added entry.
    if (pool.tag(attribute.name_index) != kUtf8) return false;
    attribute.body = in.take(in.u4());
    attribute.kind = table_kind(pool.utf8(attribute.name_index));
    if (attribute.kind == CodeTable::kStackMap) {
      if (has_frames) return false;
      has_frames = true;
      auto map = StackMap::parse(attribute.body, *this, why);
      if (!map) return false;
      stack_map = std::move(*map);
    }
    attributes.push_back(attribute);
  }
  return in.ok() && in.at_end();
}

std::optional<Code> Code::decode_bytecode(ByteSpan bytecode, SkipReason& why) {
  Code code;
  code.bytecode = bytecode;
  why = SkipReason::kBadBytecode;
  if (bytecode.empty() || bytecode.size() > 0xffff || !code.decode_instructions()) {
    return std::nullopt;
  }
  return code;
}

std::optional<Code> Code::decode(ByteSpan body, const ConstantPool& pool, SkipReason& why) {
  ByteReader in(body);
  const std::uint16_t max_stack = in.u2();
  const std::uint16_t max_locals = in.u2();
  auto code = decode_bytecode(in.take(in.u4()), why);
  if (!code) return std::nullopt;
  code->max_stack = max_stack;
  code->max_locals = max_locals;
  why = SkipReason::kBadCodeAttribute;
  if (!code->decode_handlers(in) || !code->decode_attributes(in, pool, why)) return std::nullopt;
  why = SkipReason::kNone;
  return code;
}

}  // namespace bci
