// Hooks at entries and exits of methods: hook(first, second), "(II)V", with numbers that the user
// assigns to each method.
//
// Numbers must not depend on a method's position in the class file, since HotSpot reorders the
// methods of a class when it is retransformed.
#pragma once

#include <functional>
#include <optional>

#include "bci/method_pattern.h"
#include "bci/transformation.h"

namespace bci {

// Returns the numbers of a method; nullopt = no hook.
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

// Calls the hook at the entry, once per call: branches within the method never reach it. In a
// constructor it precedes this() or super().
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

// Calls the hook when an exception leaves the method, and rethrows. The handler covers the whole
// body and follows all handlers of the method, so theirs take precedence. In a constructor it
// covers only the code after this() or super(): an exception before that is not recorded.
class ExceptionalExitHook : public MethodHook {
 public:
  using MethodHook::MethodHook;
  std::string_view name() const override { return "ExceptionalExitHook"; }

 protected:
  void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const override;
};

}  // namespace bci
