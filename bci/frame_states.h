// Decodes the successive frames of a method: each frame gives its locals relative to those of the
// previous frame.
#pragma once

#include <vector>

#include "bci/type_state.h"

namespace bci {

class FrameStates {
 public:
  FrameStates(const Code& code, const ConstantPool& pool) : code_(code), pool_(pool) {}

  // `locals` by slot: those at the method's entry.
  void start(const std::vector<FlowType>& locals) { locals_ = entries(locals); }

  // Applies the next frame; false if it chops more locals than there are.
  bool apply(const Frame& frame, TypeState& state);

  // Drops the upper halves of long and double. A half without its other half becomes Top.
  static std::vector<FlowType> entries(const std::vector<FlowType>& slots);

 private:
  FlowType flow_type(const VerificationType& type) const;
  static std::vector<FlowType> slots(const std::vector<FlowType>& entries);

  const Code& code_;
  const ConstantPool& pool_;
  std::vector<FlowType> locals_;
};

// The type as it is encoded in a frame; Class entries are added to `pool`. nullopt if that is full.
std::optional<VerificationType> verification_type(const FlowType& type, ConstantPool& pool);

}  // namespace bci
