#include "probes/plans/probe_plan.h"

#include <algorithm>
#include <utility>

#include "core/class_names.h"
#include "probes/plans/probe_condition.h"
#include "time/calls/method_filter.h"

namespace ddm {
namespace {

using bci::ArgumentKind;
using bci::PatchArgument;
using bci::PatchCall;
using bci::SiteKind;

constexpr const char* kBegun = "begun";  // local variables that are added
constexpr const char* kRecord = "record";
constexpr const char* kTook = "took";

PatchArgument integer(std::int32_t number) { return {ArgumentKind::kInteger, number, {}}; }
PatchArgument local(const char* name) { return {ArgumentKind::kNewLocal, 0, name}; }

class Plan {
 public:
  Plan(const ProbeSpec& spec, const ProbePlace& place) : spec_(spec), place_(place) {}

  bci::MethodPatches build() {
    patches_.class_name = place_.class_name;
    patches_.method = place_.method;
    patches_.descriptor = place_.descriptor;
    if (spec_.request.line > 0) {
      bci::PatchWhen when{bci::WhenKind::kLine, {}, {}, spec_.request.line};
      add(SiteKind::kLine, at_hit()).when.push_back(std::move(when));
    } else if (!spec_.field.empty()) {
      at_field();
    } else if (spec_.at_return()) {
      std::vector<PatchCall> calls = at_hit();
      if (asked(kProbeReturn)) {
        calls.push_back(value(integer(kReturnedValue), {ArgumentKind::kReturn, 0, {}}));
      }
      add(SiteKind::kExit, std::move(calls));
    } else {
      add(SiteKind::kEnter, at_hit());
      at_exits();
    }
    return std::move(patches_);
  }

 private:
  bool asked(ProbeWhat what) const { return (spec_.request.what & what) != 0; }

  // A call of a sink; with a condition, the last parameter is the condition's result.
  PatchCall on_condition(const char* name, const std::string& parameters, const char* result,
                         std::vector<PatchArgument> arguments) const {
    PatchCall call;
    const char* wanted = spec_.conditions.empty() ? "" : "Z";
    call.sink = {kSinksClass, name, "(" + parameters + wanted + ")" + result};
    call.arguments = std::move(arguments);
    call.conditions = spec_.conditions;
    return call;
  }

  // Passes a value of any type to the record.
  PatchCall value(PatchArgument number, PatchArgument value) const {
    PatchCall call;
    call.sink = {kSinksClass, "value", "(IIJ)V"};
    call.overloads = {"(IID)V", "(IILjava/lang/Object;)V"};
    call.arguments = {local(kRecord), std::move(number), std::move(value)};
    return call;
  }

  std::vector<PatchCall> at_hit() const {
    std::vector<PatchCall> calls;
    if (spec_.request.recorded()) {
      calls.push_back(on_condition("open", "I", "I", {integer(place_.cell)}));
      calls.back().result_local = kRecord;
      if (asked(kProbeArguments) && spec_.field.empty()) {
        calls.push_back(value({ArgumentKind::kArgNumber, 0, {}}, {ArgumentKind::kArg, 0, {}}));
        calls.back().each_argument = true;
      }
      if (spec_.timed()) {
        calls.push_back(on_condition("begin", "", "J", {}));
        calls.back().result_local = kBegun;
      }
    } else if (spec_.timed()) {
      calls.push_back(on_condition("begin", "I", "J", {integer(place_.cell)}));
      calls.back().result_local = kBegun;
    } else {
      calls.push_back(on_condition("count", "I", "V", {integer(place_.cell)}));
    }
    return calls;
  }

  void at_exits() {
    std::vector<PatchCall> returns;
    if (spec_.timed()) {
      PatchCall& end = returns.emplace_back();
      end.sink = {kSinksClass, "end", "(IJ)V"};
      end.arguments = {integer(place_.cell), local(kBegun)};
      if (spec_.request.recorded()) {
        end.sink = {kSinksClass, "took", "(IJ)J"};
        end.result_local = kTook;
        returns.push_back(value(integer(kTimeTaken), local(kTook)));
      }
    }
    std::vector<PatchCall> throws = returns;
    if (asked(kProbeReturn) || asked(kProbeThrows)) {
      const bool is_void = place_.descriptor.ends_with(")V");
      returns.push_back(asked(kProbeReturn) && !is_void
                            ? value(integer(kReturnedValue), {ArgumentKind::kReturn, 0, {}})
                            : value(integer(kNoMoreValues), integer(0)));
      throws.push_back(asked(kProbeThrows)
                           ? value(integer(kThrownValue), {ArgumentKind::kException, 0, {}})
                           : value(integer(kNoMoreValues), integer(0)));
    }
    if (!returns.empty()) add(SiteKind::kExit, std::move(returns));
    if (!throws.empty()) add(SiteKind::kThrow, std::move(throws));
  }

  void at_field() {
    for (const std::string& owner : place_.field_owners) {
      for (const SiteKind site : {SiteKind::kFieldAccess, SiteKind::kStaticAccess,
                                  SiteKind::kFieldWrite, SiteKind::kStaticWrite}) {
        std::vector<PatchCall> calls = at_hit();
        if (asked(kProbeArguments)) {
          calls.push_back(value(integer(1), {ArgumentKind::kStack, 0, {}}));
        }
        bci::Patch& patch = add(site, std::move(calls));
        if (site == SiteKind::kFieldAccess || site == SiteKind::kStaticAccess) {
          std::swap(patch.before, patch.after);
        }
        patch.when.push_back({bci::WhenKind::kField, owner, spec_.field, 0});
      }
    }
  }

  bci::Patch& add(SiteKind site, std::vector<PatchCall> calls) {
    bci::Patch& patch = patches_.patches.emplace_back();
    patch.site = site;
    patch.before = std::move(calls);
    return patch;
  }

  const ProbeSpec& spec_;
  const ProbePlace& place_;
  bci::MethodPatches patches_;
};

}  // namespace

Result<ProbeSpec> parse_probe(ProbeRequest request) {
  constexpr std::size_t kMostNames = 1000;
  if (request.methods.empty()) return Error{"no method is named; right is 'shop.Cart.total'"};
  if (request.methods.size() > kMostNames || request.field.size() > kMostNames) {
    return Error{"a name is longer than 1000 characters"};
  }
  if (std::string fault = MethodFilter::fault(request.methods); !fault.empty()) {
    return Error{std::move(fault)};
  }
  if (request.line > 0 && !request.field.empty()) {
    return Error{"a probe is at a line or at a field, not at both"};
  }
  const bool whole = request.line == 0 && request.field.empty();
  if (!whole && (request.what & (kProbeTime | kProbeReturn | kProbeThrows)) != 0) {
    return Error{"time, return and throws are of a whole method, not of a line or field"};
  }
  if (request.records > ProbeRequest::kMostRecords) {
    return Error{"a probe records at most " + std::to_string(ProbeRequest::kMostRecords) + " hits"};
  }
  if (request.budget > 10'000) return Error{"a budget is 1 to 10000 percent"};
  auto conditions = parse_condition(request.condition);
  if (!conditions) return conditions.error();
  ProbeSpec spec;
  spec.conditions = std::move(*conditions);
  if (spec.at_return() && (!whole || (request.what & (kProbeTime | kProbeThrows)) != 0)) {
    return Error{
        "a condition on what is returned goes with args, return and stack of a whole method"};
  }
  const std::size_t dot = request.field.rfind('.');
  spec.field = request.field.substr(dot == std::string::npos ? 0 : dot + 1);
  if (!request.field.empty() && spec.field.empty()) {
    return Error{"'" + request.field + "' names no field; right is 'Cart.sum' or 'sum'"};
  }
  if (dot != std::string::npos) spec.field_owner = internal_name(request.field.substr(0, dot));
  spec.request = std::move(request);
  return spec;
}

bool ProbeSpec::at_return() const {
  return std::ranges::any_of(
      conditions, [](const auto& one) { return one.left.kind == ArgumentKind::kReturn; });
}

bool ProbeSpec::means_field(std::string_view owner, std::string_view name) const {
  if (name != field || !owner.ends_with(field_owner)) return false;
  if (owner.size() == field_owner.size() || field_owner.empty()) return true;
  const char before = owner[owner.size() - field_owner.size() - 1];
  return field_owner.find('/') == std::string::npos && (before == '/' || before == '$');
}

bci::MethodPatches probe_patches(const ProbeSpec& spec, const ProbePlace& place) {
  return Plan(spec, place).build();
}

}  // namespace ddm
