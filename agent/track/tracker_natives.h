// The Tracker's natives: JNI functions that hand their calls to the engine.
#pragma once

#include <jni.h>

namespace ddm {

class BciEngine;

// Before the Tracker is defined; the engine lives as long as the process.
void set_tracker_engine(BciEngine* engine);

// RegisterNatives; false when the VM refused.
bool bind_tracker_natives(JNIEnv* jni, jclass natives);

}  // namespace ddm
