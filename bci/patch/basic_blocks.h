// Finds the leaders of a method's basic blocks: the first instruction, each target of a branch or
// switch, the instruction after a branch, switch, return, athrow or ret, and the start of each
// exception handler.
#pragma once

#include <vector>

#include "bci/code.h"

namespace bci {

class BasicBlocks {
 public:
  explicit BasicBlocks(const Code& code);

  bool begins(Label label) const { return first_[label] == label; }
  // The first instruction of the block that contains `label`.
  Label first_of(Label label) const { return first_[label]; }

 private:
  std::vector<Label> first_;  // by instruction
};

}  // namespace bci
