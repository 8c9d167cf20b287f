#include "bci/added_frames.h"

#include "bci/opcodes.h"

namespace bci {
namespace {

// Keeps the state of the locals from frame to frame, as frames describe them: by difference.
class FrameStates {
 public:
  FrameStates(const Code& code, const ConstantPool& pool) : code_(code), pool_(pool) {}

  // `locals` by slot.
  void start(const std::vector<FlowType>& locals) { locals_ = entries(locals); }

  // Applies a frame; false if it chops more than there is.
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

  // Without the upper halves of long and double. A half that is left alone counts as unknown.
  static std::vector<FlowType> entries(const std::vector<FlowType>& slots) {
    std::vector<FlowType> entries;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      FlowType type = slots[i];
      const bool wide = type.tag == kLongType || type.tag == kDoubleType;
      if (type.tag == kSecondHalf) type = {};
      entries.push_back(type);
      if (wide) ++i;
    }
    return entries;
  }

 private:
  FlowType flow_type(const VerificationType& type) const {
    FlowType flow{type.tag, {}, type.made_at};
    if (type.tag == kObject) flow.name = pool_.class_name(type.class_index);
    return flow;
  }

  static std::vector<FlowType> slots(const std::vector<FlowType>& entries) {
    std::vector<FlowType> slots;
    for (const FlowType& type : entries) {
      slots.push_back(type);
      if (type.tag == kLongType || type.tag == kDoubleType) slots.push_back({kSecondHalf});
    }
    return slots;
  }

  const Code& code_;
  const ConstantPool& pool_;
  std::vector<FlowType> locals_;
};

// Trailing unknown locals need not be listed.
std::optional<std::vector<VerificationType>> verification_types(const std::vector<FlowType>& slots,
                                                                bool are_locals,
                                                                ConstantPool& pool) {
  std::vector<FlowType> entries = FrameStates::entries(slots);
  while (are_locals && !entries.empty() && entries.back().tag == kTop) entries.pop_back();
  std::vector<VerificationType> types;
  for (const FlowType& entry : entries) {
    VerificationType type{entry.tag, 0, entry.made_at};
    if (entry.tag == kObject) {
      type.class_index = pool.find_or_add_class(entry.name);
      if (type.class_index == 0) return std::nullopt;
    }
    types.push_back(type);
  }
  return types;
}

bool add_full(StackMap& map, Label at, const TypeState& state, ConstantPool& pool) {
  const auto locals = verification_types(state.locals, true, pool);
  const auto stack = verification_types(state.stack, false, pool);
  if (!locals || !stack) return false;
  map.add_full(at, *locals, *stack);
  return true;
}

void copy_frame(const StackMap& from, Frame frame, StackMap& to) {
  const auto locals = from.locals(frame);
  const auto stack = from.stack(frame);
  frame.first_type = static_cast<std::uint32_t>(to.types.size());
  to.types.insert(to.types.end(), locals.begin(), locals.end());
  to.types.insert(to.types.end(), stack.begin(), stack.end());
  to.frames.push_back(frame);
}

}  // namespace

std::optional<StackMap> add_frames(const Code& code, const MethodShape& method,
                                   std::span<const Label> at, ConstantPool& pool, SkipReason& why) {
  why = SkipReason::kNoFrameState;
  TypeSimulator simulator(code, pool, method.class_name);
  FrameStates states(code, pool);
  TypeState state;
  if (!simulator.enter(method, state)) return std::nullopt;
  states.start(state.locals);

  StackMap map;
  bool known = true;     // `state` is that before the instruction looked at
  bool differs = false;  // the frame written last is not the one the next one refers to
  auto wanted = at.begin();
  auto frame = code.stack_map.frames.begin();
  const auto frames_end = code.stack_map.frames.end();
  for (Label label = 0; label < code.end_label(); ++label) {
    const bool want = wanted != at.end() && *wanted == label;
    if (want) ++wanted;
    if (frame != frames_end && frame->at == label) {
      known = states.apply(*frame, state);
      if (!known) return std::nullopt;
      if (differs) {
        if (!add_full(map, label, state, pool)) {
          why = SkipReason::kPoolFull;
          return std::nullopt;
        }
      } else {
        copy_frame(code.stack_map, *frame, map);
      }
      differs = false;
      ++frame;
    } else if (want) {
      if (!known) return std::nullopt;
      if (!add_full(map, label, state, pool)) {
        why = SkipReason::kPoolFull;
        return std::nullopt;
      }
      differs = true;
    }
    const std::uint8_t op = code.instructions[label].opcode;
    known = known && simulator.step(label, state) && code.falls_through(label) && op != kJsr &&
            op != kJsrW;
  }
  return map;
}

}  // namespace bci
