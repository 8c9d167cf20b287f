// Locates the frames of an unmounted virtual thread in this VM's heap, for
// stack/walk/parked_frames. Obtains field offsets from Java: call on an attached thread that may
// run Java code. JDK 25.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

// The error: what is missing.
Result<ParkedLayout> detect_parked_layout(JNIEnv* jni);

}  // namespace ddm
