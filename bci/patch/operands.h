// What lies on the operand stack around the instruction of a site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bci/patch/patch_place.h"

namespace bci {

struct Operands {
  std::vector<std::string> before;    // types, the deepest first; only those told apart
  std::optional<std::size_t> value;   // ArgumentKind::kStack before the instruction
  std::optional<std::size_t> target;  // ArgumentKind::kTarget
  // Behind the instruction kStack is the operand from before: the instruction leaves nothing.
  bool value_is_kept = false;
  std::string result;  // type of what the instruction leaves on top; "" nothing
};

Operands operands_of(const Site& site, const Code& code);

// Whether the operand at `index` is an object that may be passed on. `state`: before the
// instruction, null if not known.
SkipReason check_initialized(const Operands& operands, std::size_t index, const PatchScope& scope,
                             const Site& site, const TypeState* state);

// The object that a constructor call initialises, as it is found behind the call.
struct CompletedObject {
  std::optional<Label> made_at;  // its `new`; nothing: `this`
  std::string type;
  bool on_top = false;                // of the stack
  std::optional<std::uint32_t> slot;  // else it is in this local variable
};
// `before`: the state before the instruction at `label`. Nothing if it is no constructor call.
std::optional<CompletedObject> completed_object(Label label, const PatchScope& scope,
                                                const TypeState& before);

}  // namespace bci
