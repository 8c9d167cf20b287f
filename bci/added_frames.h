// Adds stack map frames where the class file has none, and locals to existing frames.
//
// New frames are needed where a conditional branch that no longer reaches its target is replaced by
// its inverse around a goto_w: the inverse branches to the next instruction, which was no branch
// target before.
#pragma once

#include <optional>
#include <span>

#include "bci/type_state.h"

namespace bci {

// A local variable added to the method. It is initialized at the entry, so every frame contains it.
struct AddedLocal {
  std::uint32_t slot = 0;
  VerificationType type;
};

// Appends `added` (ascending) to the locals of a frame; false if their slots are in use there.
bool append_locals(std::vector<VerificationType>& entries, std::span<const AddedLocal> added);

// The stack map of `code` with an additional full frame at each of `at` (ascending) that has none,
// and with the added locals in every frame, which makes all of them full ones. Types are derived from
// the preceding frame by simulating the instructions in between, which is exact, since the verifier
// does the same. Class entries are added to `pool`.
std::optional<StackMap> add_frames(const Code& code, const MethodShape& method,
                                   std::span<const Label> at, std::span<const AddedLocal> added,
                                   ConstantPool& pool, SkipReason& why);

}  // namespace bci
