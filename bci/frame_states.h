// Locals and stack as the frames of a method describe them, one after the other: the locals of a
// frame are told by their difference from those of the frame before.
#pragma once

#include <vector>

#include "bci/type_state.h"

namespace bci {

class FrameStates {
 public:
  FrameStates(const Code& code, const ConstantPool& pool) : code_(code), pool_(pool) {}

  // `locals` by slot: those at the method's entry.
  void start(const std::vector<FlowType>& locals) { locals_ = entries(locals); }

  // Applies the next frame; false if it chops more than there is.
  bool apply(const Frame& frame, TypeState& state);

  // Without the upper halves of long and double. A half that is left alone counts as unknown.
  static std::vector<FlowType> entries(const std::vector<FlowType>& slots);

 private:
  FlowType flow_type(const VerificationType& type) const;
  static std::vector<FlowType> slots(const std::vector<FlowType>& entries);

  const Code& code_;
  const ConstantPool& pool_;
  std::vector<FlowType> locals_;
};

// As a frame takes it; Class entries are added to `pool`. Nothing if it is full.
std::optional<VerificationType> verification_type(const FlowType& type, ConstantPool& pool);

}  // namespace bci
