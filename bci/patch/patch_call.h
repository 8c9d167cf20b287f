// The code of one call of a patch.
#pragma once

#include <string>

#include "bci/patch/patch_place.h"

namespace bci {

struct CallRefusal {
  SkipReason why = SkipReason::kNone;
  std::string detail;
};

// Appends the call to `code`. False, and why, if its values are not there or do not fit the sink;
// then `code` is of no use any more.
bool append_call(const PatchCall& call, const std::string& test_class, const PatchPlace& place,
                 Snippet& code, CallRefusal& refusal);

}  // namespace bci
