// The Tracker's natives: JNI functions that call the engine.
#pragma once

#include <jni.h>

#include <vector>

namespace ddm {

class BciEngine;

// Call before the Tracker is defined; the engine must live as long as the process.
void set_tracker_engine(BciEngine* engine);

// The natives of java.lang.DdmTrackerNatives.
std::vector<JNINativeMethod> tracker_natives();

}  // namespace ddm
