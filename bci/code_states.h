// The types of locals and stack around each instruction of a method.
#pragma once

#include <functional>

#include "bci/type_state.h"

namespace bci {

// The states before and after an instruction; null where the types are unknown: code without frames
// (class files before version 50, or unreachable code).
using StateVisitor = std::function<void(Label, const TypeState* before, const TypeState* behind)>;

// Visits the instructions in order. The states are exact, since between two frames all types follow
// from the instructions. They are valid during the call only.
void visit_states(const Code& code, const MethodShape& method, const ConstantPool& pool,
                  const StateVisitor& visit);

// The state at the method's entry; nullopt if its descriptor is invalid.
std::optional<TypeState> entry_state(const Code& code, const MethodShape& method,
                                     const ConstantPool& pool);

}  // namespace bci
