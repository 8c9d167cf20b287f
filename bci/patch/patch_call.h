// Generates the code of one call of a patch.
#pragma once

#include <string>

#include "bci/patch/patch_place.h"

namespace bci {

struct CallRefusal {
  SkipReason why = SkipReason::kNone;
  std::string detail;
};

// Appends the call to `code`. False, with the reason, if values are not available or do not fit the
// sink; `code` is unusable then.
bool append_call(const PatchCall& call, const std::string& test_class, const PatchPlace& place,
                 Snippet& code, CallRefusal& refusal);

}  // namespace bci
