// Stack map frames at places where the class file has none.
//
// Needed where a conditional branch that no longer reaches its target becomes its inverse around a
// goto_w: the inverse goes to the next instruction, which was never a target before.
#pragma once

#include <optional>
#include <span>

#include "bci/type_state.h"

namespace bci {

// The stack map of `code` with a full frame also at each of `at` (ascending) where there is none.
// Types come from the nearest frame before, by simulating the instructions in between: exact, since
// the verifier itself knows no other way. Class entries are added to `pool`.
std::optional<StackMap> add_frames(const Code& code, const MethodShape& method,
                                   std::span<const Label> at, ConstantPool& pool, SkipReason& why);

}  // namespace bci
