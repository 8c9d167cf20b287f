// Applies patches to one method.
#pragma once

#include <vector>

#include "bci/patch/patch_class.h"

namespace bci {

// What is patched, and what is not, is added to `result`.
void patch_method(ClassContext& context, MethodContext& method, CodeEditor& editor,
                  const PatchPlan& plan, PatchIds& ids, std::vector<const Patch*> patches,
                  PatchResult& result);

}  // namespace bci
