#include "bci/code_tables.h"

#include "bci/opcodes.h"

namespace bci {

LineTable::LineTable(const Code& code) {
  for (const CodeAttribute& attribute : code.attributes) {
    if (attribute.kind != CodeTable::kLineNumbers) continue;
    ByteReader in(attribute.body);
    for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
      const Label label = code.label_at(in.u2());
      const std::uint16_t line = in.u2();
      if (in.ok() && label < code.end_label()) lines_[label] = line;
    }
  }
}

std::int32_t LineTable::line_of(Label label) const {
  const auto behind = lines_.upper_bound(label);
  return behind == lines_.begin() ? -1 : std::prev(behind)->second;
}

VariableTable::VariableTable(const Code& code, const ConstantPool& pool) : code_(code) {
  for (const CodeAttribute& attribute : code.attributes) {
    // LocalVariableTypeTable has the same slots.
    if (pool.utf8(attribute.name_index) != "LocalVariableTable") continue;
    ByteReader in(attribute.body);
    for (std::uint16_t left = in.u2(); left > 0 && in.ok(); --left) {
      const std::uint32_t start = in.u2();
      const std::uint32_t end = start + in.u2();
      const std::string_view name = pool.utf8(in.u2());
      in.skip(2);
      const std::uint16_t slot = in.u2();
      if (in.ok()) variables_.push_back({start, end, name, slot});
    }
  }
}

std::optional<std::uint16_t> VariableTable::slot_of(std::string_view name, Label label) const {
  const std::uint32_t bci = code_.bci_of(label);
  for (const Variable& variable : variables_) {
    if (bci >= variable.start && bci < variable.end && variable.name == name) return variable.slot;
  }
  return std::nullopt;
}

BasicBlocks::BasicBlocks(const Code& code) {
  const Label end = code.end_label();
  std::vector<std::uint8_t> leader = code.meeting_points();
  leader[0] = 1;
  for (Label label = 0; label + 1 < end; ++label) {
    if (is_branch(code.instructions[label].opcode) || !code.falls_through(label)) {
      leader[label + 1] = 1;
    }
  }
  first_.reserve(end);
  for (Label label = 0; label < end; ++label) {
    first_.push_back(leader[label] ? label : first_.back());
  }
}

std::optional<FieldOutline> find_field(const ClassFile& file, std::string_view name) {
  ByteReader in(file.bytes.subspan(file.pool_end));
  in.skip(6);                         // access_flags, this_class, super_class
  in.skip(std::size_t{2} * in.u2());  // interfaces
  for (std::uint16_t fields = in.u2(); fields > 0 && in.ok(); --fields) {
    const std::uint16_t access = in.u2();
    const std::string_view field = file.pool.utf8(in.u2());
    const std::string_view type = file.pool.utf8(in.u2());
    skip_attributes(in);
    if (in.ok() && field == name && !type.empty()) {
      return FieldOutline{field, type, (access & kAccStatic) != 0};
    }
  }
  return std::nullopt;
}

}  // namespace bci
