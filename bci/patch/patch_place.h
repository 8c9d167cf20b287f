// A method being patched, and a place in it where calls are inserted.
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

// A value for a sink: its type (a field descriptor; "" for null) and the code that pushes it.
struct PatchValue {
  std::string type;
  std::function<void(Snippet&)> push;
};

// The value, or why there is none.
struct MaybeValue {
  std::optional<PatchValue> value;
  SkipReason why = SkipReason::kNoValue;
};

inline MaybeValue some_value(std::string type, std::function<void(Snippet&)> push) {
  return {PatchValue{std::move(type), std::move(push)}, SkipReason::kNone};
}

// A local variable of PatchCall::result_local.
struct AddedVariable {
  std::string type;  // "": calls disagree on the type
  std::uint32_t slot = CodeEditor::kNoSlot;
};

// Data shared by all places of a method.
struct PatchScope {
  PatchScope(ClassContext& context, MethodContext& of, CodeEditor& given_editor,
             PatchIds& given_ids);

  // The variable of that name, added at first use; null if no call stores a result under that name.
  const AddedVariable* added_variable(std::string_view name);
  // Whether an instruction stores to that slot.
  bool is_stored(std::uint32_t slot) const { return slot < stored_.size() && stored_[slot]; }

  const ClassFile& file;
  MethodContext& method;
  CodeEditor& editor;
  const Code& code;
  PatchIds& ids;
  MethodTables tables;
  std::optional<MethodDescriptor> descriptor;
  std::vector<FlowType> parameters;  // by slot, `this` first; initialized
  std::map<std::string, AddedVariable, std::less<>> added;

 private:
  std::vector<bool> stored_;
};

// One place: before or after a site's instruction.
struct PatchPlace {
  PatchScope& scope;
  const Site& site;
  // The types there; null: unknown.
  const TypeState* state = nullptr;
  // `this` of a constructor is certainly initialized although `state` is unknown.
  bool this_initialized = false;
  MaybeValue stack = {}, target = {};
  std::int32_t argument_number = 0;  // of PatchCall::each_argument
};

// The value of an argument at a place.
MaybeValue value_of(const PatchArgument& argument, const PatchPlace& place);

// "ARG 3", "LOCAL sum": for messages.
std::string describe(const PatchArgument& argument);

}  // namespace bci
