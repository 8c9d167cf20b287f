// A site of a patch in a method.
#pragma once

#include <optional>
#include <vector>

#include "bci/code_tables.h"
#include "bci/patch/patch_plan.h"

namespace bci {

// The tables used to find sites in a method.
struct MethodTables {
  MethodTables(const Code& code, const ConstantPool& pool)
      : lines(code), variables(code, pool), blocks(code) {}

  LineTable lines;
  VariableTable variables;
  BasicBlocks blocks;
};

struct Site {
  SiteKind kind = SiteKind::kEnter;
  Label label = 0;  // the instruction
  // Of the field or method; for an allocation its type: a class name or an array descriptor.
  std::string_view owner, name, descriptor;
  // kSyncEnter, kSyncExit: the implicit lock of a synchronized method, without an instruction.
  bool of_method = false;

  bool is_field() const { return kind >= SiteKind::kStaticAccess && kind <= SiteKind::kFieldWrite; }
  bool is_allocation() const {
    return kind >= SiteKind::kObjectAlloc && kind <= SiteKind::kBaseArrayAlloc;
  }
  // Whether the site is around an instruction, not between two.
  bool has_instruction() const { return !of_method && kind >= SiteKind::kSyncTest; }
};

// The site of that kind at an instruction, if there is one; not for kEnter and kThrow. `array_type`
// stores a name that the class file does not contain.
std::optional<Site> site_at(SiteKind kind, Label label, const Code& code, const ConstantPool& pool,
                            const MethodTables& tables, std::string& array_type);

// Whether all conditions of the patch hold at the site.
bool all_hold(const std::vector<PatchWhen>& when, const Site& site, const MethodTables& tables);

// The innermost element type of an array: "java/lang/String" for "[[Ljava/lang/String;", "I" for
// "[I".
std::string_view innermost_element(std::string_view array_type);

}  // namespace bci
