#include "bci/added_frames.h"

#include <algorithm>

#include "bci/code_states.h"

namespace bci {
namespace {

std::optional<std::vector<VerificationType>> verification_types(const std::vector<FlowType>& slots,
                                                                bool without_last_tops,
                                                                ConstantPool& pool) {
  std::vector<FlowType> entries = frame_entries(slots);
  while (without_last_tops && !entries.empty() && entries.back().tag == kTop) entries.pop_back();
  std::vector<VerificationType> types;
  for (const FlowType& entry : entries) {
    const auto type = verification_type(entry, pool);
    if (!type) return std::nullopt;
    types.push_back(*type);
  }
  return types;
}

void copy_frame(const StackMap& from, const Frame& frame, StackMap& to) {
  const auto locals = from.locals(frame);
  const auto stack = from.stack(frame);
  to.frames.push_back(frame);
  to.frames.back().first_type = static_cast<std::uint32_t>(to.types.size());
  to.types.insert(to.types.end(), locals.begin(), locals.end());
  to.types.insert(to.types.end(), stack.begin(), stack.end());
  to.list_unset_as(from, frame);
}

// Whether strict fields may be unset before super(): which ones, only a frame tells.
bool may_have_unset_fields(const MethodShape& method, const TypeState& state) {
  return method.may_have_strict_fields &&
         std::ranges::find(state.locals, kUninitializedThis, &FlowType::tag) != state.locals.end();
}

std::size_t slot_count(const std::vector<VerificationType>& entries) {
  std::size_t slots = entries.size();
  for (const VerificationType& type : entries) slots += is_two_slots(type.tag) ? 1 : 0;
  return slots;
}

// An existing frame keeps its last locals of type Top: frames that follow may be relative to them.
SkipReason add_full(StackMap& map, Label at, const TypeState& state, bool exists,
                    std::span<const AddedLocal> added, ConstantPool& pool) {
  auto locals = verification_types(state.locals, !exists, pool);
  const auto stack = verification_types(state.stack, false, pool);
  if (!locals || !stack) return SkipReason::kPoolFull;
  if (!append_locals(*locals, added)) return SkipReason::kNoFrameState;
  map.add_full(at, *locals, *stack);
  return SkipReason::kNone;
}

}  // namespace

bool append_locals(std::vector<VerificationType>& entries, std::span<const AddedLocal> added) {
  for (const AddedLocal& local : added) {
    if (slot_count(entries) > local.slot) return false;
    entries.resize(entries.size() + local.slot - slot_count(entries));
    entries.push_back(local.type);
  }
  return true;
}

std::optional<StackMap> add_frames(const Code& code, const MethodShape& method,
                                   std::span<const Label> at, std::span<const AddedLocal> added,
                                   ConstantPool& pool, SkipReason& why) {
  why = SkipReason::kNone;
  StackMap map;
  bool differs = !added.empty();  // the last written frame is not the base of the next one
  auto wanted = at.begin();
  auto frame = code.stack_map.frames.begin();
  const auto frames_end = code.stack_map.frames.end();
  visit_states(code, method, pool, [&](Label label, const TypeState* state, const TypeState*) {
    const bool has_frame = frame != frames_end && frame->at == label;
    const bool want = wanted != at.end() && *wanted == label;
    if (want) ++wanted;
    if (why != SkipReason::kNone || !(has_frame || want)) return;
    if (state == nullptr || (!has_frame && may_have_unset_fields(method, *state))) {
      why = SkipReason::kNoFrameState;
    } else if (has_frame && !differs) {
      copy_frame(code.stack_map, *frame, map);
    } else {
      why = add_full(map, label, *state, has_frame, added, pool);
      if (has_frame && why == SkipReason::kNone) map.list_unset_as(code.stack_map, *frame);
    }
    differs = !has_frame || !added.empty();
    if (has_frame) ++frame;
  });
  if (why != SkipReason::kNone) return std::nullopt;
  return map;
}

}  // namespace bci
