// Applies a plan to a class file. The header for users of patches; see docs/bci.md.
//
// Never throws or aborts, whatever the bytes are. A site that cannot be patched is skipped with a
// reason; the others are patched. Any thread, concurrently.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bci/patch/patch_ids.h"
#include "bci/patch/patch_plan.h"
#include "bci/rewrite.h"

namespace bci {

// A patched site. All numbers are those of the original class file.
struct PatchedSite {
  SiteKind kind = SiteKind::kEnter;
  std::uint16_t bci = 0;
  std::uint32_t instruction = 0;  // ordinal
};

struct PatchedMethod {
  std::string name, descriptor;
  std::vector<PatchedSite> sites;
};

// A skipped site.
struct RefusedSite {
  std::string name, descriptor;  // of the method; empty: the whole class
  SiteKind kind = SiteKind::kEnter;
  SkipReason reason = SkipReason::kNone;
  std::string detail;     // what did not match: "ARG 3", "sink (J)V"
  std::int32_t bci = -1;  // -1: all sites of that kind in the method
};

struct PatchResult {
  RewriteResult rewrite;  // bytes, status, maps of bcis
  std::vector<PatchedMethod> methods;
  std::vector<RefusedSite> refused;
};

PatchResult patch_class(ByteSpan class_file, const PatchPlan& plan, PatchIds& ids) noexcept;

// Several plans at once, independent of each other's insertions. Each plan's outcome is stored in
// its `result`, except `rewrite`, which is the return value.
struct PlanToApply {
  const PatchPlan* plan;
  PatchIds* ids;
  PatchResult* result;
};
RewriteResult patch_class(ByteSpan class_file, std::span<const PlanToApply> plans) noexcept;

// The basic blocks of matching methods, without patching: for tables of ids.
struct MethodBlock {
  std::uint32_t first = 0, last = 0;             // instructions, by ordinal
  std::int32_t first_line = -1, last_line = -1;  // -1: unknown
  struct Allocation {
    bool is_array = false;
    std::string type;  // internal name; of arrays the element type ("I" for int)
  };
  std::vector<Allocation> allocations;
};
struct MethodBlocks {
  std::string name, descriptor;
  std::int32_t first_line = -1, last_line = -1;
  std::vector<MethodBlock> blocks;
};
std::vector<MethodBlocks> blocks_of(ByteSpan class_file, const PatchPlan& plan) noexcept;

}  // namespace bci
