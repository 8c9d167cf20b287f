// Hooks where methods begin and end: hook(first, second), "(II)V", with numbers that the user gives
// to each method.
//
// Numbers must not depend on the position of a method in the class file: when a class is
// retransformed, HotSpot hands out its methods in another order.
#pragma once

#include <functional>
#include <optional>

#include "bci/method_pattern.h"
#include "bci/transformation.h"

namespace bci {

// The numbers of a method; nothing = leave that method alone.
using MethodNumbers =
    std::function<std::optional<HookNumbers>(const ClassContext&, const MethodContext&)>;

class MethodHook : public Transformation {
 public:
  MethodHook(HookMethod hook, MethodNumbers numbers)
      : hook_(std::move(hook)), numbers_(std::move(numbers)) {}

  bool holds_hook(std::string_view class_name) const override { return class_name == hook_.owner; }
  void apply(ClassContext& context) const override;

 protected:
  virtual void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const = 0;
  Snippet call(CodeEditor& editor, HookNumbers numbers) const;

 private:
  HookMethod hook_;
  MethodNumbers numbers_;
};

// First thing in the method, once a call: no branch of the method ever goes there again. In a
// constructor that is before this() or super(), where only constants may be passed.
//   MethodEntryHook hook({"T", "entered", "(II)V"},
//       [&](const auto& cls, const auto& method) { return number(cls.name(), method.name()); });
class MethodEntryHook : public MethodHook {
 public:
  using MethodHook::MethodHook;
  std::string_view name() const override { return "MethodEntryHook"; }

 protected:
  void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const override;
};

// Before each return instruction.
class MethodReturnHook : public MethodHook {
 public:
  using MethodHook::MethodHook;
  std::string_view name() const override { return "MethodReturnHook"; }

 protected:
  void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const override;
};

// When an exception leaves the method; it goes on its way afterwards. A handler over the whole
// body, behind all handlers of the method, so that it takes nothing from them. In a constructor
// only behind this() or super(): an exception from those, or from before, is not seen.
class ExceptionalExitHook : public MethodHook {
 public:
  using MethodHook::MethodHook;
  std::string_view name() const override { return "ExceptionalExitHook"; }

 protected:
  void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const override;
};

}  // namespace bci
