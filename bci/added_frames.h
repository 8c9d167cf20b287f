// Stack map frames at places where the class file has none, and frames with more locals.
//
// New places are needed where a conditional branch that no longer reaches its target becomes its
// inverse around a goto_w: the inverse goes to the next instruction, which was never a target
// before.
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

// A local variable that the method did not have. It is set from the entry on, so every frame has
// it.
struct AddedLocal {
  std::uint32_t slot = 0;
  VerificationType type;
};

// Lists `added` (ascending) behind the locals of a frame; false if their slots are taken there.
bool append_locals(std::vector<VerificationType>& entries, std::span<const AddedLocal> added);

// `map` with those locals in every frame, each of which becomes a full one.
std::optional<StackMap> extend_frames(const StackMap& map, const Code& code,
                                      const MethodShape& method, std::span<const AddedLocal> added,
                                      ConstantPool& pool, SkipReason& why);

}  // namespace bci
