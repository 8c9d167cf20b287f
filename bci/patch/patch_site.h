// A place in a method that a patch is about.
#pragma once

#include <optional>
#include <vector>

#include "bci/code_tables.h"
#include "bci/patch/basic_blocks.h"
#include "bci/patch/patch_plan.h"

namespace bci {

// What the places of a method are found by.
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
  // Of the field or method; of an allocation the type made: a class name or an array descriptor.
  std::string_view owner, name, descriptor;
  // kSyncEnter, kSyncExit: the lock of a synchronized method, which no instruction takes.
  bool of_method = false;

  bool is_field() const { return kind >= SiteKind::kStaticAccess && kind <= SiteKind::kFieldWrite; }
  bool is_allocation() const {
    return kind >= SiteKind::kObjectAlloc && kind <= SiteKind::kBaseArrayAlloc;
  }
  // Around one instruction, not between two.
  bool has_instruction() const { return !of_method && kind >= SiteKind::kSyncTest; }
};

// The site of that kind at an instruction, if it is one: neither kEnter nor kThrow.
// `array_type` keeps a name that stands nowhere in the class file.
std::optional<Site> site_at(SiteKind kind, Label label, const Code& code, const ConstantPool& pool,
                            const MethodTables& tables, std::string& array_type);

// Whether all conditions of the patch hold at that site.
bool all_hold(const std::vector<PatchWhen>& when, const Site& site, const MethodTables& tables);

// The type of the elements of an array in the end: "java/lang/String" of "[[Ljava/lang/String;",
// "I" of "[I".
std::string_view innermost_element(std::string_view array_type);

}  // namespace bci
