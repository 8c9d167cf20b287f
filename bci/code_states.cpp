#include "bci/code_states.h"

#include "bci/opcodes.h"

namespace bci {
namespace {

// The successive frames of a method: each gives its locals relative to those of the previous frame.
class FrameStates {
 public:
  // `locals` by slot: those at the method's entry.
  FrameStates(const Code& code, const ConstantPool& pool, const std::vector<FlowType>& locals)
      : code_(code), pool_(pool), locals_(frame_entries(locals)) {}

  // Applies the next frame; false if it chops more locals than there are.
  bool apply(const Frame& frame, TypeState& state) {
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

 private:
  FlowType flow_type(const VerificationType& type) const {
    FlowType flow{type.tag, {}, type.made_at};
    if (type.tag == kObject) flow.name = pool_.class_name(type.class_index);
    return flow;
  }

  static std::vector<FlowType> slots(const std::vector<FlowType>& entries) {
    std::vector<FlowType> slots;
    for (const FlowType& type : entries) append_slots(slots, type);
    return slots;
  }

  const Code& code_;
  const ConstantPool& pool_;
  std::vector<FlowType> locals_;
};

}  // namespace

std::optional<TypeState> entry_state(const Code& code, const MethodShape& method,
                                     const ConstantPool& pool) {
  TypeState state;
  if (!TypeSimulator(code, pool, method.class_name).enter(method, state)) return std::nullopt;
  return state;
}

void visit_states(const Code& code, const MethodShape& method, const ConstantPool& pool,
                  const StateVisitor& visit) {
  TypeSimulator simulator(code, pool, method.class_name);
  TypeState state;
  bool known = simulator.enter(method, state);
  FrameStates frames(code, pool, state.locals);
  // Their state is given only by a frame.
  const std::vector<std::uint8_t> meets = code.meeting_points();
  auto frame = code.stack_map.frames.begin();
  const auto frames_end = code.stack_map.frames.end();
  bool frames_make_sense = known;
  TypeState before;
  for (Label label = 0; label < code.end_label(); ++label) {
    if (frame != frames_end && frame->at == label) {
      frames_make_sense = frames_make_sense && frames.apply(*frame, state);
      known = frames_make_sense;
      ++frame;
    } else if (meets[label]) {
      known = false;
    }
    if (known) before = state;
    const bool stepped = known && simulator.step(label, state);
    visit(label, known ? &before : nullptr, stepped ? &state : nullptr);
    const std::uint8_t op = code.instructions[label].opcode;
    known = stepped && code.falls_through(label) && op != kJsr && op != kJsrW;
  }
}

std::vector<FlowType> frame_entries(const std::vector<FlowType>& slots) {
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

std::optional<VerificationType> verification_type(const FlowType& type, ConstantPool& pool) {
  VerificationType made{type.tag, 0, type.made_at};
  if (type.tag != kObject) return made;
  made.class_index = pool.find_or_add_class(type.name);
  if (made.class_index == 0) return std::nullopt;
  return made;
}

}  // namespace bci
