#include "bci/patch/patch_plan.h"

#include <algorithm>

#include "bci/glob.h"

namespace bci {
namespace {

constexpr std::string_view kSiteNames[] = {
    "ENTER",        "EXIT",        "THROW",        "BLOCK_START",   "LINE",
    "SYNC_TEST",    "SYNC_ENTER",  "SYNC_EXIT",    "STATIC_ACCESS", "FIELD_ACCESS",
    "STATIC_WRITE", "FIELD_WRITE", "OBJECT_ALLOC", "ARRAY_ALLOC",   "BASE_ARRAY_ALLOC",
    "CALL"};
static_assert(std::size(kSiteNames) == kSiteKindCount);

constexpr std::string_view kArgumentNames[] = {
    "THIS",  "INTEGER", "TEXT",      "NULL",    "CURTHREAD",   "FIELD",     "LOCAL",
    "ARG",   "RETURN",  "EXCEPTION", "STACK",   "TARGET",      "NEWLOCAL",  "ARGNO",
    "INSNO", "BLOCKID", "METHODID",  "CLASSID", "REFMETHODID", "REFCLASSID"};
static_assert(std::size(kArgumentNames) == kArgumentKindCount);

bool is_chosen(std::string_view pattern, std::string_view text) {
  return pattern.empty() || matches_glob(pattern, text);
}

template <typename Is>
bool any_call(const PatchPlan& plan, Is is) {
  for (const MethodPatches& method : plan.methods) {
    for (const Patch& patch : method.patches) {
      if (std::ranges::any_of(patch.before, is) || std::ranges::any_of(patch.after, is)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string_view to_string(SiteKind kind) { return kSiteNames[static_cast<int>(kind)]; }

std::string_view to_string(ArgumentKind kind) { return kArgumentNames[static_cast<int>(kind)]; }

bool matches_class(const MethodPatches& patches, std::string_view class_name) {
  return is_chosen(patches.class_name, class_name);
}

bool matches(const MethodPatches& patches, std::string_view class_name, std::string_view method,
             std::string_view descriptor) {
  return matches_class(patches, class_name) && is_chosen(patches.method, method) &&
         is_chosen(patches.descriptor, descriptor);
}

bool may_patch(const PatchPlan& plan, std::string_view class_name, std::string_view method,
               std::string_view descriptor) {
  return std::ranges::any_of(plan.methods, [&](const MethodPatches& each) {
    return matches(each, class_name, method, descriptor);
  });
}

bool may_patch(const PatchPlan& plan, std::string_view class_name) {
  return std::ranges::any_of(
      plan.methods, [&](const MethodPatches& each) { return matches_class(each, class_name); });
}

bool holds_sink(const PatchPlan& plan, std::string_view class_name) {
  return any_call(plan, [&](const PatchCall& call) {
    return call.sink.owner == class_name ||
           (!call.conditions.empty() && plan.test_class == class_name);
  });
}

bool is_sink(const PatchPlan& plan, std::string_view class_name, std::string_view method) {
  return any_call(plan, [&](const PatchCall& call) {
    return call.sink.owner == class_name && call.sink.name == method;
  });
}

bool names_many(std::string_view pattern) {
  return pattern.empty() || pattern.find('*') != std::string_view::npos;
}

}  // namespace bci
