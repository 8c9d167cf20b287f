#include "bci/frame_states.h"

namespace bci {

bool FrameStates::apply(const Frame& frame, TypeState& state) {
  if (frame.form == FrameForm::kChop) {
    if (frame.chopped > locals_.size()) return false;
    locals_.resize(locals_.size() - frame.chopped);
  }
  if (frame.form == FrameForm::kFull) locals_.clear();
  for (const VerificationType& type : code_.stack_map.locals(frame)) {
    locals_.push_back(flow_type(type));
  }
  std::vector<FlowType> stack;
  for (const VerificationType& type : code_.stack_map.stack(frame)) {
    stack.push_back(flow_type(type));
  }
  state.locals = slots(locals_);
  state.stack = slots(stack);
  return true;
}

std::vector<FlowType> FrameStates::entries(const std::vector<FlowType>& slots) {
  std::vector<FlowType> entries;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    FlowType type = slots[i];
    const bool wide = is_two_slots(type.tag);
    if (type.tag == kSecondHalf) type = {};
    entries.push_back(type);
    if (wide) ++i;
  }
  return entries;
}

FlowType FrameStates::flow_type(const VerificationType& type) const {
  FlowType flow{type.tag, {}, type.made_at};
  if (type.tag == kObject) flow.name = pool_.class_name(type.class_index);
  return flow;
}

std::vector<FlowType> FrameStates::slots(const std::vector<FlowType>& entries) {
  std::vector<FlowType> slots;
  for (const FlowType& type : entries) {
    slots.push_back(type);
    if (is_two_slots(type.tag)) slots.push_back({kSecondHalf});
  }
  return slots;
}

std::optional<VerificationType> verification_type(const FlowType& type, ConstantPool& pool) {
  VerificationType made{type.tag, 0, type.made_at};
  if (type.tag != kObject) return made;
  made.class_index = pool.find_or_add_class(type.name);
  if (made.class_index == 0) return std::nullopt;
  return made;
}

}  // namespace bci
