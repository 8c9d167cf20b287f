// A method that is being patched, and one place in it where calls are put.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bci/patch/patch_ids.h"
#include "bci/patch/patch_site.h"
#include "bci/transformation.h"

namespace bci {

// A value that a sink may be given: its type (a field descriptor; "" for null) and the code that
// pushes it.
struct PatchValue {
  std::string type;
  std::function<void(Snippet&)> push;
};

// The value, or why there is none.
struct MaybeValue {
  std::optional<PatchValue> value;
  SkipReason why = SkipReason::kNoValue;
};

// A local variable of PatchCall::result_local.
struct AddedVariable {
  std::string type;  // "": calls disagree about it
  std::uint32_t slot = CodeEditor::kNoSlot;
};

// What is the same for all places of a method.
struct PatchScope {
  PatchScope(ClassContext& context, MethodContext& of, CodeEditor& given_editor,
             PatchIds& given_ids);

  // The variable of that name, which the method gets when it is first asked for; null if no call
  // leaves anything under that name.
  const AddedVariable* added_variable(std::string_view name);
  // Whether some instruction stores to that slot.
  bool is_stored(std::uint32_t slot) const { return slot < stored_.size() && stored_[slot]; }

  const ClassFile& file;
  MethodContext& method;
  CodeEditor& editor;
  const Code& code;
  PatchIds& ids;
  MethodTables tables;
  std::optional<MethodDescriptor> descriptor;
  std::vector<FlowType> parameters;  // by slot, `this` first; initialised
  std::map<std::string, AddedVariable, std::less<>> added;

 private:
  std::vector<bool> stored_;
};

// One place: before or behind the instruction of a site.
struct PatchPlace {
  PatchScope& scope;
  const Site& site;
  // Of the locals there; null: not known.
  const TypeState* state = nullptr;
  // Where `this` of a constructor is certainly initialised though `state` is not known.
  bool this_initialized = false;
  MaybeValue stack = {}, target = {};
  std::int32_t argument_number = 0;  // of PatchCall::each_argument
};

// The value of an argument at a place.
MaybeValue value_of(const PatchArgument& argument, const PatchPlace& place);

// "ARG 3", "LOCAL sum": for messages.
std::string describe(const PatchArgument& argument);

}  // namespace bci
