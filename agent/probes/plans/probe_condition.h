// Translates the condition of a probe (`arg1 > 100 && this.open == true`) for the rewriter. Pure.
//
//   condition = comparison { "&&" comparison }
//   comparison = what relation constant
//   what = "arg1", "arg2", ... | "return" | "this.FIELD" | the name of a local variable or parameter
//   relation = "==" | "!=" | "<" | "<=" | ">" | ">="
//   constant = 100 | -1.5 | true | false | null | "text" | 'text'
#pragma once

#include <string_view>
#include <vector>

#include "bci/patch/patch_plan.h"
#include "core/result.h"

namespace ddm {

// "": every hit counts. The error is one sentence.
Result<std::vector<bci::PatchCondition>> parse_condition(std::string_view text);

}  // namespace ddm
