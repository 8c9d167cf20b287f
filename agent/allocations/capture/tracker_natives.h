// The Tracker's natives: JNI functions that hand their calls to the engine.
#pragma once

#include <jni.h>

#include <vector>

namespace ddm {

class BciEngine;

// Before the Tracker is defined; the engine lives as long as the process.
void set_tracker_engine(BciEngine* engine);

// Of java.lang.DdmTrackerNatives.
std::vector<JNINativeMethod> tracker_natives();

}  // namespace ddm
