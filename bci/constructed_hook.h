// A hook where the constructors of one class end.
#pragma once

#include <string>

#include "bci/transformation.h"

namespace bci {

// Calls hook(this) at each end of the constructors of one class, whose `this` stays in its slot.
//   ConstructedHook hook("java/lang/Thread", {"T", "made", "(Ljava/lang/Object;)V"});
class ConstructedHook : public Transformation {
 public:
  ConstructedHook(std::string class_name, HookMethod hook)
      : class_name_(std::move(class_name)), hook_(std::move(hook)) {}

  std::string_view name() const override { return "ConstructedHook"; }
  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 private:
  std::string class_name_;
  HookMethod hook_;
};

}  // namespace bci
