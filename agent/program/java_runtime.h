// Calls of java.lang.Runtime's methods: exit, halt, and those of shutdown hooks.
#pragma once

#include <jni.h>

namespace ddm {

// Calls `method` of the program's Runtime with one argument, ignoring its result. False: it does not
// exist, or has thrown. Any attached thread.
bool call_runtime(JNIEnv* jni, const char* method, const char* descriptor, jvalue argument);

}  // namespace ddm
