#include "adapters/dyper/patching/patch_models.h"

#include <algorithm>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/patching/java_names.h"
#include "bci/patch/patch_site.h"
#include "core/class_names.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

std::optional<bci::SiteKind> site_of(std::string_view what) {
  if (what == "BLOCK") what = "BLOCK_START";
  for (int i = 0; i < bci::kSiteKindCount; ++i) {
    const auto kind = static_cast<bci::SiteKind>(i);
    if (to_string(kind) == what) return kind;
  }
  return {};
}

std::optional<bci::PatchWhen> when_of(pugi::xml_node node, DyperErrors& errors) {
  const std::string_view given = attribute_of(node, "CASE"), value = attribute_of(node, "ARG");
  bci::PatchWhen when;
  if (given == "BLOCK" || given == "LINE") {
    when.kind = given == "BLOCK" ? bci::WhenKind::kBlock : bci::WhenKind::kLine;
    if (const auto number = number_in<decltype(when.number)>(value)) {
      when.number = *number;
      return when;
    }
    return fail(errors, "ARG", value, "BLOCK and LINE need a number");
  }
  if (value.empty()) return fail(errors, "ARG", value, "a name is needed");
  if (given == "CLASS") {
    when.kind = bci::WhenKind::kClass;
    when.owner = allocated_type(value);
    return when;
  }
  if (given != "FIELD" && given != "METHOD") {
    return fail(errors, "CASE", given, "a case is FIELD, METHOD, CLASS, BLOCK or LINE");
  }
  when.kind = given == "FIELD" ? bci::WhenKind::kField : bci::WhenKind::kMethod;
  MemberName member = member_name(value);
  when.owner = std::move(member.owner);
  when.name = std::move(member.name);
  return when;
}

// Whether there are sites of that kind at which the case can hold.
bool fits(bci::WhenKind when, bci::SiteKind kind) {
  bci::Site site;
  site.kind = kind;
  switch (when) {
    case bci::WhenKind::kField:
      return site.is_field();
    case bci::WhenKind::kMethod:
      return kind == bci::SiteKind::kCall;
    case bci::WhenKind::kClass:
      return site.is_allocation();
    default:
      return true;
  }
}

bool same(const bci::PatchWhen& a, const bci::PatchWhen& b) {
  return a.kind == b.kind && a.owner == b.owner && a.name == b.name && a.number == b.number;
}

bool same_place(const bci::Patch& a, const bci::Patch& b) {
  return a.site == b.site &&
         std::equal(a.when.begin(), a.when.end(), b.when.begin(), b.when.end(), same);
}

// `*` clears everything that it matches.
bool covers(std::string_view pattern, std::string_view name) {
  return pattern == "*" || pattern == name;
}

}  // namespace

std::optional<bci::Patch> PatchModels::patch_of(pugi::xml_node node, DyperErrors& errors) const {
  const std::string_view what = attribute_of(node, "WHAT"), name = attribute_of(node, "MODE");
  const auto site = site_of(what);
  if (!site) return fail(errors, "WHAT", what, "there is no such place");
  std::optional<PatchMode> nested;
  const PatchMode* mode = modes_.find(name);
  if (const pugi::xml_node inner = child_of(node, "DYPATCH_MODE", "MODE")) {
    nested = PatchModes::read(inner, errors);
    if (!nested) return {};
    mode = &*nested;
  }
  if (mode == nullptr) {
    return fail(errors, "MODE", name, "there is no such mode", DyperErrorCode::kNoMode);
  }
  bci::Patch patch{*site, {}, mode->before, mode->after};
  for (const pugi::xml_node inner : node.children("WHEN")) {
    auto when = when_of(inner, errors);
    if (!when) return {};
    if (!fits(when->kind, *site)) {
      return fail(errors, "CASE", attribute_of(inner, "CASE"),
                  "no " + std::string(what) + " has this case: FIELD is of accesses and writes, " +
                      "METHOD of CALL, CLASS of allocations");
    }
    patch.when.push_back(std::move(*when));
  }
  return patch;
}

void PatchModels::change(pugi::xml_node model, DyperErrors& errors) {
  modes_.add(model, errors);
  Model& changed = models_[std::string(attribute_of(model, "NAME"))];
  for (const pugi::xml_node target : model.children("FOR")) change(changed, target, errors);
}

void PatchModels::change(Model& model, pugi::xml_node target, DyperErrors& errors) {
  const std::string class_name = internal_name(attribute_of(target, "CLASS"));
  const std::string_view given = attribute_of(target, "METHOD");
  const std::string method(given.empty() ? "*" : given);
  const std::string_view update = attribute_of(target, "UPDATE");
  if (class_name.empty()) {
    fail(errors, "CLASS", "", "FOR needs a CLASS, or * for any");
    return;
  }
  if (!method_choice(method)) {
    fail(errors, "METHOD", method, "it is like total, total(int,java.lang.String) or total(I)I");
    return;
  }
  if (!update.empty() && update != "NEW" && update != "ADD") {
    fail(errors, "UPDATE", update, "an update is NEW, which discards earlier patches, or ADD");
    return;
  }
  if (update != "ADD") {
    std::erase_if(model, [&](const Target& one) {
      return covers(class_name, one.class_name) && covers(method, one.method);
    });
  }
  std::vector<bci::Patch> patches;
  for (const pugi::xml_node node : target.children("PATCH")) {
    if (auto patch = patch_of(node, errors)) patches.push_back(std::move(*patch));
  }
  if (patches.empty()) return;
  const auto found = std::ranges::find_if(model, [&](const Target& one) {
    return one.class_name == class_name && one.method == method;
  });
  Target& kept = found != model.end() ? *found : model.emplace_back(Target{class_name, method, {}});
  for (bci::Patch& patch : patches) {
    std::erase_if(kept.patches, [&](const bci::Patch& old) { return same_place(old, patch); });
  }
  std::move(patches.begin(), patches.end(), std::back_inserter(kept.patches));
}

bci::PatchPlan PatchModels::plan(std::string_view name) const {
  bci::PatchPlan plan;
  plan.test_class = kSinksClass;
  const auto found = models_.find(name);
  if (found == models_.end()) return plan;
  for (const Target& target : found->second) {
    MethodChoice choice = method_choice(target.method).value_or(MethodChoice{target.method, ""});
    plan.methods.push_back(
        {target.class_name, std::move(choice.name), std::move(choice.descriptor), target.patches});
  }
  return plan;
}

}  // namespace ddm
