// A method's Code attribute as a list of instructions with labels.
//
// A label is the index of an instruction; instructions.size() is the label of the end. Everything
// that holds an offset in the class file (branches, switches, the exception table, StackMapTable,
// debug tables) holds a label here, and code_writer.h turns labels into offsets again.
#pragma once

#include <optional>
#include <vector>

#include "bci/constant_pool.h"
#include "bci/stack_map.h"

namespace bci {

struct Instruction {
  std::uint16_t bci = 0;
  std::uint8_t opcode = 0;
  // Branch: the target label. Switch: index of its labels in Code::switch_labels (default first,
  // then the cases in file order). Else kNoLabel.
  Label target = kNoLabel;
};

struct ExceptionHandler {
  Label start, end, handler;
  std::uint16_t catch_type;  // Class in the pool; 0 = everything
};

enum class CodeTable : std::uint8_t {
  kLineNumbers,
  kLocalVariables,  // LocalVariableTable and LocalVariableTypeTable: same layout
  kTypeAnnotations,
  kStackMap,  // the content is in Code::stack_map
  kOther,     // copied unchanged
};

struct CodeAttribute {
  std::uint16_t name_index;
  CodeTable kind;
  ByteSpan body;
};

class Code {
 public:
  // Decodes a Code attribute; `body` begins at max_stack. nullopt on failure, with the reason in
  // `why`.
  static std::optional<Code> decode(ByteSpan body, const ConstantPool& pool, SkipReason& why);
  // Decodes bare bytecode, without tables.
  static std::optional<Code> decode_bytecode(ByteSpan bytecode, SkipReason& why);

  Label end_label() const { return static_cast<Label>(instructions.size()); }
  // Label of the instruction at `bci` or of the end; kNoLabel inside an instruction or beyond.
  Label label_at(std::uint32_t bci) const { return bci < labels_.size() ? labels_[bci] : kNoLabel; }
  // The same, but a bci inside an instruction gives that instruction (some obfuscators' debug
  // tables); kNoLabel only beyond the end.
  Label label_around(std::uint32_t bci) const;
  std::uint16_t bci_of(Label label) const {
    return label < end_label() ? instructions[label].bci
                               : static_cast<std::uint16_t>(bytecode.size());
  }
  // The bytes of one instruction, opcode first.
  ByteSpan bytes_of(Label label) const {
    const std::size_t start = instructions[label].bci;
    return bytecode.subspan(start, bci_of(label + 1) - start);
  }
  // Number of labels of a switch, default included.
  std::size_t switch_size(Label label) const;
  // Whether control may continue with the next instruction. True for jsr, since ret returns there.
  bool falls_through(Label label) const;

  // By label: 1 if a branch, a switch or an exception handler leads there.
  std::vector<std::uint8_t> meeting_points() const;

  std::uint16_t max_stack = 0, max_locals = 0;
  ByteSpan bytecode;
  std::vector<Instruction> instructions;
  std::vector<Label> switch_labels;
  std::vector<ExceptionHandler> handlers;
  std::vector<CodeAttribute> attributes;
  StackMap stack_map;

 private:
  bool decode_instructions();
  bool decode_targets(Instruction& instruction);
  bool decode_handlers(ByteReader& in);
  bool decode_attributes(ByteReader& in, const ConstantPool& pool, SkipReason& why);

  std::vector<Label> labels_;  // by bci
};

}  // namespace bci
