// Locates the VM structures that a stack walk needs by vmStructs. Live phase.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "stack/walk/parked_frames.h"
#include "vm/method_pointers.h"

namespace ddm {

// The error: why this VM's stacks are not walked, the end of a sentence for the log. A
// field's meaning may change under the same name, so on any release the walk is compared with
// GetStackTrace before it is used (stack/walker_check.h).
Result<VmLayout> detect_vm_layout(JNIEnv* jni, const MethodPointers& methods);

// The frames of an unmounted virtual thread in this VM's heap. Obtains field offsets from Java: call
// on an attached thread that may run Java code. JDK 25. The error: what is missing.
Result<ParkedLayout> detect_parked_layout(JNIEnv* jni);

}  // namespace ddm
