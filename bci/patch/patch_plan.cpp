#include "bci/patch/patch_plan.h"

#include <algorithm>

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

bool matches_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return true;
  std::size_t at = 0, star = std::string_view::npos, resume = 0, p = 0;
  while (at < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = at;
    } else if (p < pattern.size() && pattern[p] == text[at]) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
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
  return matches_glob(patches.class_name, class_name);
}

bool matches(const MethodPatches& patches, std::string_view class_name, std::string_view method,
             std::string_view descriptor) {
  return matches_class(patches, class_name) && matches_glob(patches.method, method) &&
         matches_glob(patches.descriptor, descriptor);
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
