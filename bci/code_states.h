// The types of locals and stack around each instruction of a method.
#pragma once

#include <functional>

#include "bci/type_state.h"

namespace bci {

// Before and behind an instruction; null where the types are not known: code that no frame
// describes (class files before version 50, or code that is never reached).
using StateVisitor = std::function<void(Label, const TypeState* before, const TypeState* behind)>;

// Visits the instructions in order. The states are exact: between two frames types follow from the
// instructions alone. They live no longer than the call.
void visit_states(const Code& code, const MethodShape& method, const ConstantPool& pool,
                  const StateVisitor& visit);

// The state at the entry of the method; nothing if its descriptor makes no sense.
std::optional<TypeState> entry_state(const Code& code, const MethodShape& method,
                                     const ConstantPool& pool);

}  // namespace bci
