#include "bci/tool/every_hook.h"

#include <functional>

namespace bci {
namespace {

constexpr const char* kObjectHook = "(Ljava/lang/Object;)V";
constexpr const char* kNumbersHook = "(II)V";

// Independent of the order of methods; covers all sizes of constants.
std::optional<HookNumbers> numbers_of(std::string_view owner, std::string_view name) {
  const auto hash = std::hash<std::string_view>()(owner);
  const auto other = std::hash<std::string_view>()(name);
  return HookNumbers{static_cast<std::int32_t>(hash) >> (other % 32),
                     static_cast<std::int32_t>(other) >> (hash % 32)};
}

std::optional<HookNumbers> number_method(const ClassContext& context, const MethodContext& method) {
  return numbers_of(context.name(), method.name());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> EveryHook::hooks() {
  return {
      {"object", kObjectHook},     {"array", kObjectHook},    {"arrays", "(Ljava/lang/Object;I)V"},
      {"called", kObjectHook},     {"calling", kNumbersHook}, {"enter", kNumbersHook},
      {"leave", kNumbersHook},     {"thrown", kNumbersHook},  {"callingOn", kObjectHook},
      {"constructed", kObjectHook}};
}

EveryHook::EveryHook(const std::string& hook_class) {
  const auto hook = [&](const char* name, const char* descriptor) {
    return HookMethod{hook_class, name, descriptor};
  };
  all_.push_back({"objects", std::make_unique<ObjectInitHook>(hook("object", kObjectHook))});
  all_.push_back({"arrays", std::make_unique<ArrayHook>(hook("array", kObjectHook),
                                                        hook("arrays", "(Ljava/lang/Object;I)V"))});
  const auto number_site = [](const CallSite& site) {
    return numbers_of(site.caller_class, site.callee.name);
  };
  std::vector<CallRule> rules;
  rules.push_back({{}, CallPosition::kBefore, hook("calling", kNumbersHook), number_site});
  rules.push_back({{}, CallPosition::kAfter, hook("called", kObjectHook)});
  rules.push_back({{}, CallPosition::kBeforeOn, hook("callingOn", kObjectHook)});
  all_.push_back({"calls", std::make_unique<CallSiteHook>(std::move(rules))});
  const auto add_hooks = [&](std::string_view name, MethodHook::Hooks hooks) {
    all_.push_back({name, std::make_unique<MethodHook>(std::move(hooks), number_method)});
  };
  add_hooks("enter", {.entered = hook("enter", kNumbersHook)});
  add_hooks("return", {.returned = hook("leave", kNumbersHook)});
  add_hooks("throw", {.thrown = hook("thrown", kNumbersHook)});
  all_.push_back({"constructed", std::make_unique<NewSiteHook>(hook("constructed", kObjectHook))});
}

bool EveryHook::add(std::string_view name) {
  bool found = false;
  for (const Named& named : all_) {
    if (name != "all" && name != named.name) continue;
    chosen_.push_back(named.transformation.get());
    found = true;
  }
  return found;
}

}  // namespace bci
