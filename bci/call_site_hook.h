// Hooks before and after chosen calls.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bci/method_pattern.h"
#include "bci/transformation.h"

namespace bci {

// One call instruction of any kind.
struct CallSite {
  std::string_view caller_class, caller_name;
  std::uint16_t bci;
  std::uint8_t opcode;
  ConstantPool::Member callee;  // of invokedynamic: no owner
};

enum class CallPosition : std::uint8_t {
  kBefore,    // hook(first, second), "(II)V"
  kAfter,     // hook(result), "(Ljava/lang/Object;)V", only for calls that return a reference;
              // null is passed too
  kBeforeOn,  // hook(receiver), "(Ljava/lang/Object;)V", only for calls without arguments of
              // methods that are not static; null is passed too
};

struct CallRule {
  MethodPattern callee;
  CallPosition position = CallPosition::kAfter;
  HookMethod hook;
  // Decides about a matching call: nullopt = no hook, else the numbers for kBefore. Empty = every
  // match, with 0, 0.
  std::function<std::optional<HookNumbers>(const CallSite&)> select = {};
};

// Calls a hook before or after selected calls; the calls themselves are not changed. A call that
// several rules match gets the hooks of all.
//   CallSiteHook hook({{{"java/util/Arrays", "copyOf", ""}, CallPosition::kAfter,
//                       {"java/lang/DdmTracker", "array", "(Ljava/lang/Object;)V"}}},
//                     {{"java/util/Arrays", "copyOf", ""}});   // callers to leave alone
class CallSiteHook : public Transformation {
 public:
  explicit CallSiteHook(std::vector<CallRule> rules, std::vector<MethodPattern> exempt = {});

  bool holds_hook(std::string_view class_name) const override;
  void apply(ClassContext& context) const override;

 private:
  std::vector<const CallRule*> rules_for(const ConstantPool::Member& callee) const;
  void edit(const ClassContext& context, MethodContext& method,
            const std::unordered_map<std::uint16_t, std::vector<const CallRule*>>& matched) const;

  std::vector<CallRule> rules_;
  std::vector<MethodPattern> exempt_;
  std::unordered_multimap<std::string_view, const CallRule*> by_name_;
  std::vector<const CallRule*> any_name_;
};

}  // namespace bci
