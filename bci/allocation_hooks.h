// Hooks for objects created by `new`, in their constructors and behind them, and by the array
// instructions.
//
// A hook is a static void method, see snippet.h. Transformations are immutable once built and may
// be shared by threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bci/method_pattern.h"
#include "bci/transformation.h"

namespace bci {

// Calls hook(this) at the entry of java.lang.Object's constructor, and so for every object created
// by `new`, by reflection or by JNI's NewObject.
//   ObjectInitHook hook({"java/lang/DdmTracker", "object", "(Ljava/lang/Object;)V"});
class ObjectInitHook : public Transformation {
 public:
  explicit ObjectInitHook(HookMethod hook) : hook_(std::move(hook)) {}

  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 private:
  HookMethod hook_;
};

// Calls one(array) after newarray and anewarray, and many(array, dimensions) after multianewarray:
// many() must traverse the array, since the inner arrays were created with it.
//   ArrayHook hook({"java/lang/DdmTracker", "array", "(Ljava/lang/Object;)V"},
//                  {"java/lang/DdmTracker", "arrays", "(Ljava/lang/Object;I)V"},
//                  {{"java/util/Arrays", "copyOf", ""}});   // methods to leave alone
class ArrayHook : public Transformation {
 public:
  ArrayHook(HookMethod one, HookMethod many, std::vector<MethodPattern> exempt = {})
      : one_(std::move(one)), many_(std::move(many)), exempt_(std::move(exempt)) {}

  bool holds_hook(std::string_view class_name) const override {
    return class_name == one_.owner || class_name == many_.owner;
  }
  void apply(ClassContext& context) const override;

 private:
  HookMethod one_, many_;
  std::vector<MethodPattern> exempt_;
};

// Calls hook(this) at each end of the constructors of one class, whose `this` stays in its slot.
//   ConstructedHook hook("java/lang/Thread", {"T", "made", "(Ljava/lang/Object;)V"});
class ConstructedHook : public Transformation {
 public:
  ConstructedHook(std::string class_name, HookMethod hook)
      : class_name_(std::move(class_name)), hook_(std::move(hook)) {}

  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 private:
  std::string class_name_;
  HookMethod hook_;
};

// Calls hook(object) after the constructor call that completes an object of `new`, if the object stays
// on the stack. In code without stack map frames (class files before version 50), only where the types
// are known.
//   NewSiteHook hook({"T", "constructed", "(Ljava/lang/Object;)V"});
class NewSiteHook : public Transformation {
 public:
  explicit NewSiteHook(HookMethod hook) : hook_(std::move(hook)) {}

  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 private:
  HookMethod hook_;
};

}  // namespace bci
