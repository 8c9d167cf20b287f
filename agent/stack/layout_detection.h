// Locates the VM structures that a stack walk needs by vmStructs.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "stack/walk/vm_layout.h"
#include "vm/method_pointers.h"

namespace ddm {

// Live phase. The error: why this VM's stacks are not walked, the end of a sentence for the log. A
// field's meaning may change under the same name, so on any release the walk is compared with
// GetStackTrace before it is used (stack/walker_check.h).
Result<VmLayout> detect_vm_layout(JNIEnv* jni, const MethodPointers& methods);

}  // namespace ddm
