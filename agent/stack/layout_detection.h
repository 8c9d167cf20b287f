// Finds what a stack walk needs in the VM's own tables (vmStructs), by name.
#pragma once

#include "core/result.h"
#include "stack/walk/vm_layout.h"

namespace ddm {

// Live phase. The error: why this VM's stacks are not walked, a sentence's end for the log. Only
// releases that the walk was tested on are taken: names may stay while meanings change.
Result<VmLayout> detect_vm_layout();

// Whether this is one of those releases: an error is news there.
bool walk_was_tested();

}  // namespace ddm
