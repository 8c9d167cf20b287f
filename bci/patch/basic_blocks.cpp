#include "bci/patch/basic_blocks.h"

#include "bci/opcodes.h"

namespace bci {

BasicBlocks::BasicBlocks(const Code& code) {
  const Label end = code.end_label();
  std::vector<std::uint8_t> leader(end + std::size_t{1}, 0);
  leader[0] = 1;
  for (Label label = 0; label < end; ++label) {
    const Instruction& instruction = code.instructions[label];
    if (is_branch(instruction.opcode)) {
      leader[instruction.target] = 1;
      leader[label + 1] = 1;
    } else if (!code.falls_through(label)) {
      leader[label + 1] = 1;
    }
  }
  for (const Label label : code.switch_labels) leader[label] = 1;
  for (const ExceptionHandler& handler : code.handlers) leader[handler.handler] = 1;
  first_.reserve(end);
  for (Label label = 0; label < end; ++label) {
    first_.push_back(leader[label] ? label : first_.back());
  }
}

}  // namespace bci
