#include "bci/code_states.h"

#include "bci/frame_states.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

// Join points, whose state is given only by a frame.
std::vector<std::uint8_t> meeting_points(const Code& code) {
  std::vector<std::uint8_t> points(code.end_label(), 0);
  for (const Instruction& instruction : code.instructions) {
    if (is_branch(instruction.opcode)) points[instruction.target] = 1;
  }
  for (const Label label : code.switch_labels) points[label] = 1;
  for (const ExceptionHandler& handler : code.handlers) points[handler.handler] = 1;
  return points;
}

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
  FrameStates frames(code, pool);
  TypeState state;
  bool known = simulator.enter(method, state);
  frames.start(state.locals);
  const std::vector<std::uint8_t> meets = meeting_points(code);
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

}  // namespace bci
