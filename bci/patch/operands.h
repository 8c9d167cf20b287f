// The operand stack around a site's instruction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bci/patch/patch_place.h"

namespace bci {

struct Operands {
  std::vector<std::string> before;    // types, deepest first; only operands that are distinguished
  std::optional<std::size_t> value;   // ArgumentKind::kStack before the instruction
  std::optional<std::size_t> target;  // ArgumentKind::kTarget
  // After the instruction kStack is the operand from before: the instruction pushes nothing.
  bool value_is_kept = false;
  std::string result;  // type of the value that the instruction pushes; "": none
};

Operands operands_of(const Site& site, const Code& code);

// Whether the operand at `index` is an initialized object. `state`: before the instruction, null if
// unknown.
SkipReason check_initialized(const Operands& operands, std::size_t index, const PatchScope& scope,
                             const Site& site, const TypeState* state);

// The object that a constructor call initializes, as available after the call.
struct CompletedObject {
  std::optional<Label> made_at;  // its `new`; nullopt: `this`
  std::string type;
  bool on_top = false;                // of the stack
  std::optional<std::uint32_t> slot;  // otherwise it is in this local variable
};
// `before`: the state before the instruction at `label`. nullopt if it is no constructor call.
std::optional<CompletedObject> completed_object(Label label, const PatchScope& scope,
                                                const TypeState& before);

}  // namespace bci
