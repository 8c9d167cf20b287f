// A hook behind each constructor call that completes a new object.
#pragma once

#include <string_view>

#include "bci/transformation.h"

namespace bci {

// Calls hook(object) after the constructor call that completes an object of `new`, if the object stays
// on the stack. In code without stack map frames (class files before version 50), only where the types
// are known.
//   NewSiteHook hook({"T", "constructed", "(Ljava/lang/Object;)V"});
class NewSiteHook : public Transformation {
 public:
  explicit NewSiteHook(HookMethod hook) : hook_(std::move(hook)) {}

  std::string_view name() const override { return "NewSiteHook"; }
  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 private:
  HookMethod hook_;
};

}  // namespace bci
