// Translates the condition of a probe (`arg1 > 100 && this.open == true || took > 10ms`) for the
// rewriter. Pure.
//
//   condition = group { "||" group }
//   group = comparison { "&&" comparison }
//   comparison = what relation constant | "took" ( "<" | "<=" | ">" | ">=" ) duration
//   what = start { "." FIELD | "[" INDEX "]" }
//   start = "arg1", "arg2", ... | "return" | "this.FIELD" | the name of a variable or parameter
//   relation = "==" | "!=" | "<" | "<=" | ">" | ">="
//   constant = 100 | -1.5 | true | false | null | "text" | 'text'
//   duration = 10 [ "ns" | "us" | "ms" | "s" ]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bci/patch/patch_plan.h"
#include "core/result.h"

namespace ddm {

// From an object to the value of a field, or from an array to its length or an element.
struct PathStep {
  std::string field = {};  // "": an element
  std::int32_t index = 0;  // of the element

  bool operator==(const PathStep&) const = default;
};

// Its `path` is not numbered yet.
struct ProbeComparison : bci::PatchCondition {
  std::vector<PathStep> steps = {};  // from `left` to the value that is compared
};

// The local variable that `took` is; it is added to the method.
inline constexpr const char* kTookLocal = "took";

// "": every hit counts. The error is one sentence.
Result<std::vector<ProbeComparison>> parse_condition(std::string_view text);

}  // namespace ddm
