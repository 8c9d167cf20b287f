// Finds what a stack walk needs in the VM's own tables (vmStructs), by name.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "stack/walk/vm_layout.h"
#include "vm/method_pointers.h"

namespace ddm {

// Live phase. The error: why this VM's stacks are not walked, a sentence's end for the log. Names may
// stay while meanings change: the walk is compared with GetStackTrace's before it is relied upon
// (stack/walker_check.h), on any release.
Result<VmLayout> detect_vm_layout(JNIEnv* jni, const MethodPointers& methods);

}  // namespace ddm
