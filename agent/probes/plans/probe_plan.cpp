#include "probes/plans/probe_plan.h"

#include <algorithm>
#include <utility>

#include "core/class_names.h"
#include "time/calls/method_filter.h"

namespace ddm {
namespace {

using bci::ArgumentKind;
using bci::PatchArgument;
using bci::PatchCall;
using bci::SiteKind;

constexpr const char* kBegun = "begun";  // local variables that are added
constexpr const char* kRecord = "record";
constexpr const char* kTook = kTookLocal;
constexpr const char* kHolds = "holds";

PatchArgument integer(std::int32_t number) { return {ArgumentKind::kInteger, number, {}}; }

class Plan {
 public:
  Plan(const ProbeSpec& spec, const ProbePlace& place)
      : spec_(spec), place_(place), conditions_(spec.conditions.begin(), spec.conditions.end()) {
    for (bci::PatchCondition& each : conditions_) {
      if (each.left.kind == ArgumentKind::kNewLocal) each.left = local(kTook);
    }
  }

  bci::MethodPatches build() {
    patches_.class_name = place_.class_name;
    patches_.method = place_.method;
    patches_.descriptor = place_.descriptor;
    if (spec_.request.line > 0) {
      bci::PatchWhen when{bci::WhenKind::kLine, {}, {}, spec_.request.line};
      add(SiteKind::kLine, at_hit()).when.push_back(std::move(when));
    } else if (!spec_.field.empty()) {
      at_field();
    } else if (spec_.at_end()) {
      at_end();
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
  // Another probe of the method has variables of its own.
  std::string own(const char* name) const { return name + std::to_string(place_.cell); }
  PatchArgument local(const char* name) const { return {ArgumentKind::kNewLocal, 0, own(name)}; }

  bool asked(ProbeWhat what) const { return (spec_.request.what & what) != 0; }

  PatchCall call(const char* name, std::string descriptor, std::vector<PatchArgument> arguments,
                 std::string result_local = "") const {
    PatchCall call;
    call.sink = {kSinksClass, name, std::move(descriptor)};
    call.arguments = std::move(arguments);
    call.result_local = std::move(result_local);
    return call;
  }

  // With a condition, the last parameter is the condition's result.
  PatchCall on_condition(const char* name, const std::string& parameters, const char* result,
                         std::vector<PatchArgument> arguments) const {
    const char* wanted = spec_.conditions.empty() ? "" : "Z";
    if (evaluated_once()) arguments.push_back(local(kHolds));
    PatchCall made = call(name, "(" + parameters + wanted + ")" + result, std::move(arguments));
    if (!evaluated_once()) made.conditions = conditions_;
    return made;
  }

  // Two sinks need the result of the conditions.
  bool evaluated_once() const {
    return !spec_.conditions.empty() && spec_.timed() &&
           (spec_.request.recorded() || spec_.at_end());
  }

  void evaluate(std::vector<PatchCall>& calls) const {
    if (!evaluated_once()) return;
    calls.push_back(call("holds", "(Z)Z", {}, own(kHolds)));
    calls.back().conditions = conditions_;
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
    evaluate(calls);
    if (spec_.request.recorded()) {
      open(calls);
      if (spec_.timed()) {
        calls.push_back(on_condition("begin", "", "J", {}));
        calls.back().result_local = own(kBegun);
      }
    } else if (spec_.timed()) {
      calls.push_back(on_condition("begin", "I", "J", {integer(place_.cell)}));
      calls.back().result_local = own(kBegun);
    } else {
      calls.push_back(on_condition("count", "I", "V", {integer(place_.cell)}));
    }
    return calls;
  }

  void open(std::vector<PatchCall>& calls) const {
    calls.push_back(on_condition("open", "I", "I", {integer(place_.cell)}));
    calls.back().result_local = own(kRecord);
    if (asked(kProbeThis) && place_.method != "<init>") {
      calls.push_back(value(integer(kThisObject), {ArgumentKind::kThis, 0, {}}));
      calls.back().optional = true;
    }
    if (asked(kProbeArguments) && spec_.field.empty()) {
      calls.push_back(value({ArgumentKind::kArgNumber, 0, {}}, {ArgumentKind::kArg, 0, {}}));
      calls.back().each_argument = true;
    }
  }

  // The conditions are about the duration: of a call that has ended.
  void at_end() {
    add(SiteKind::kEnter, {call("begin", "()J", {}, own(kBegun))});
    add(SiteKind::kExit, ended(kProbeReturn));
    // With an exception nothing is returned, and no comparison with that holds.
    for (bci::PatchCondition& each : conditions_) {
      if (each.left.kind != ArgumentKind::kReturn) continue;
      const bool alternative = each.alternative;
      each = {integer(0), bci::Relation::kNotEqual, std::int64_t{0}};
      each.alternative = alternative;
    }
    add(SiteKind::kThrow, ended(kProbeThrows));
  }

  std::vector<PatchCall> ended(ProbeWhat way) const {
    std::vector<PatchCall> calls{call("elapsed", "(J)J", {local(kBegun)}, own(kTook))};
    evaluate(calls);
    if (spec_.request.recorded()) {
      open(calls);
    } else {
      calls.push_back(on_condition("count", "I", "V", {integer(place_.cell)}));
    }
    if (spec_.timed()) {
      calls.push_back(on_condition("add", "IJ", "V", {integer(place_.cell), local(kTook)}));
    }
    if (!spec_.request.recorded()) return calls;
    if (spec_.timed()) calls.push_back(value(integer(kTimeTaken), local(kTook)));
    calls.push_back(outcome(way));
    return calls;
  }

  // The last value of a record: what the call returned or threw, if that is asked for.
  PatchCall outcome(ProbeWhat way) const {
    if (!asked(way) || (way == kProbeReturn && place_.descriptor.ends_with(")V"))) {
      return value(integer(kNoMoreValues), integer(0));
    }
    return way == kProbeReturn ? value(integer(kReturnedValue), {ArgumentKind::kReturn, 0, {}})
                               : value(integer(kThrownValue), {ArgumentKind::kException, 0, {}});
  }

  void at_exits() {
    std::vector<PatchCall> returns;
    if (spec_.timed()) {
      PatchCall& end = returns.emplace_back();
      end.sink = {kSinksClass, "end", "(IJ)V"};
      end.arguments = {integer(place_.cell), local(kBegun)};
      if (spec_.request.recorded()) {
        end.sink = {kSinksClass, "took", "(IJ)J"};
        end.result_local = own(kTook);
        returns.push_back(value(integer(kTimeTaken), local(kTook)));
      }
    }
    std::vector<PatchCall> throws = returns;
    if (asked(kProbeReturn) || asked(kProbeThrows)) {
      returns.push_back(outcome(kProbeReturn));
      throws.push_back(outcome(kProbeThrows));
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
  std::vector<bci::PatchCondition> conditions_;
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
  if (spec.at_end()) {
    if (!whole) return Error{"a condition on how long a call took is of a whole method"};
  } else if (spec.at_return() && (!whole || (request.what & (kProbeTime | kProbeThrows)) != 0)) {
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

bool ProbeSpec::compares(ArgumentKind left) const {
  return std::ranges::any_of(conditions, [left](const auto& one) { return one.left.kind == left; });
}

ConditionWork ProbeSpec::condition_work() const {
  ConditionWork work{.timed = at_end()};
  for (const ProbeComparison& one : conditions) {
    work.steps += static_cast<std::int64_t>(one.steps.size());
    if (!one.steps.empty() && std::holds_alternative<std::string>(one.right)) ++work.steps;
  }
  return work;
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
