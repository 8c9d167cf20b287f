// The types of locals and stack around each instruction of a method, and their form in frames.
#pragma once

#include <functional>
#include <optional>
#include <vector>

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

// Types by slot -> those of a frame: drops the upper halves of long and double. A half without its
// other half becomes Top.
std::vector<FlowType> frame_entries(const std::vector<FlowType>& slots);

// The type as it is encoded in a frame; Class entries are added to `pool`. nullopt if that is full.
std::optional<VerificationType> verification_type(const FlowType& type, ConstantPool& pool);

}  // namespace bci
