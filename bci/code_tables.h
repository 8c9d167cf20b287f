// Look-up in the line and variable tables of Code, of its basic blocks, and of a class's fields by
// name. Tables that cannot be parsed count as empty.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "bci/class_file.h"
#include "bci/code.h"

namespace bci {

class LineTable {
 public:
  explicit LineTable(const Code& code);

  // The line of that instruction, -1 if there is none.
  std::int32_t line_of(Label label) const;
  // Whether an entry of the table begins there: the start of a line, or of a part of it.
  bool begins(Label label) const { return lines_.contains(label); }

 private:
  std::map<Label, std::uint16_t> lines_;  // by the first instruction
};

class VariableTable {
 public:
  VariableTable(const Code& code, const ConstantPool& pool);

  // The slot of the variable with that name in scope before that instruction.
  std::optional<std::uint16_t> slot_of(std::string_view name, Label label) const;

 private:
  struct Variable {
    std::uint32_t start, end;  // bcis
    std::string_view name;
    std::uint16_t slot;
  };
  const Code& code_;
  std::vector<Variable> variables_;
};

// The leaders of basic blocks: the first instruction, each target of a branch or switch, the
// instruction after a branch, switch, return, athrow or ret, and the start of each exception handler.
class BasicBlocks {
 public:
  explicit BasicBlocks(const Code& code);

  bool begins(Label label) const { return first_[label] == label; }
  // The first instruction of the block that contains `label`.
  Label first_of(Label label) const { return first_[label]; }

 private:
  std::vector<Label> first_;  // by instruction
};

struct FieldOutline {
  std::string_view name, type;
  bool is_static = false;
};

// A field declared by the class itself.
std::optional<FieldOutline> find_field(const ClassFile& file, std::string_view name);

}  // namespace bci
