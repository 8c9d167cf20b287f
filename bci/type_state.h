// The types of locals and operand stack at an instruction, and the effect of an instruction on
// them.
//
// This is the linear part of the verifier's type checker (JVMS 4.10.1): between two stack map
// frames every type follows from the instructions alone, without the class hierarchy. Nothing is
// verified here; the VM does that.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bci/code.h"

namespace bci {

// Tag of the upper slot of a long or double; the lower one has kLongType or kDoubleType.
inline constexpr std::uint8_t kSecondHalf = 0xff;

struct FlowType {
  std::uint8_t tag = kTop;
  std::string_view name = {};  // kObject: internal name, or descriptor of an array
  Label made_at = kNoLabel;    // kUninitialized
  friend bool operator==(const FlowType&, const FlowType&) = default;
};

// Appends the type to a list by slot, a long or double with its second half.
inline void append_slots(std::vector<FlowType>& slots, const FlowType& type) {
  slots.push_back(type);
  if (is_two_slots(type.tag)) slots.push_back({kSecondHalf});
}

struct TypeState {
  std::vector<FlowType> locals;  // by slot; slots beyond the end are kTop
  std::vector<FlowType> stack;   // by slot, top last

  bool has_uninitialized_this() const;
};

// What is known of a method without its code.
struct MethodShape {
  std::string_view class_name, name, descriptor;
  bool is_static = false;
  bool has_frames = false;              // class file version 50 or newer
  bool may_have_strict_fields = false;  // version 72 or newer
};

class TypeSimulator {
 public:
  // `code` and `pool` must outlive the simulator, and the simulator its states.
  TypeSimulator(const Code& code, const ConstantPool& pool, std::string_view class_name)
      : code_(code), pool_(pool), class_name_(class_name) {}

  // Converts the state before an instruction to the state after it (for branches, before the jump).
  // False if the stack is too short or a constant is of the wrong kind. jsr and ret do not change
  // the state.
  bool step(Label label, TypeState& state);

  // State at method entry.
  bool enter(const MethodShape& method, TypeState& state);

 private:
  bool step_other(Label label, TypeState& state);
  bool step_wide(ByteSpan bytes, TypeState& state);
  bool step_member(std::uint8_t op, std::uint16_t index, TypeState& state);
  bool step_invoke(std::uint8_t op, const ConstantPool::Member& member, TypeState& state);
  bool load_constant(std::uint16_t index, TypeState& state);
  void initialize(const FlowType& uninitialized, TypeState& state);
  std::string_view array_of(std::string_view component);

  const Code& code_;
  const ConstantPool& pool_;
  std::string_view class_name_;
  std::deque<std::string> made_names_;  // array types that the class file does not contain
};

}  // namespace bci
