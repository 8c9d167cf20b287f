// Where this VM keeps the frames of a waiting virtual thread, for stack/walk/parked_frames. Asks
// Java for the places of fields: on an attached thread that may run Java code. JDK 25.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

// The error: what is missing.
Result<ParkedLayout> detect_parked_layout(JNIEnv* jni);

}  // namespace ddm
