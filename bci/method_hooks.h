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
    std::function<std::optional<HookNumbers>(const ClassContext&, MethodContext&)>;

// Each hook of a chosen method is called where its name says; one without an owner is not put in.
//   MethodHook hook({.entered = {"T", "entered", "(II)V"}, .returned = {"T", "returned", "(II)V"}},
//                   [&](const auto& cls, const auto& method) { return number(cls, method); });
class MethodHook : public Transformation {
 public:
  struct Hooks {
    // At the entry, once per call: branches within the method never reach it. In a constructor it
    // precedes this() or super().
    HookMethod entered = {};
    // Before each return instruction.
    HookMethod returned = {};
    // When an exception leaves the method, which is rethrown. The handler covers the whole body and
    // follows all handlers of the method, so theirs take precedence. In a constructor it covers only
    // the code after this() or super(): an exception before that is not recorded.
    HookMethod thrown = {};
  };

  MethodHook(Hooks hooks, MethodNumbers numbers)
      : hooks_(std::move(hooks)), numbers_(std::move(numbers)) {}

  bool holds_hook(std::string_view class_name) const override {
    return class_name == hooks_.entered.owner || class_name == hooks_.returned.owner ||
           class_name == hooks_.thrown.owner;
  }
  void apply(ClassContext& context) const override;

 private:
  void edit(MethodContext& method, CodeEditor& editor, HookNumbers numbers) const;

  const Hooks hooks_;
  const MethodNumbers numbers_;
};

}  // namespace bci
