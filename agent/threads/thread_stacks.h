// The Java stack of one thread with names, as in jstack.
#pragma once

#include <jvmti.h>

#include <vector>

#include "core/result.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// jstack's limit (MaxJavaStackTraceDepth).
inline constexpr jint kMaxStackFrames = 1024;

// Innermost frame first. Attached threads; the target is stopped only during the walk.
Result<std::vector<ThreadStack::Frame>> read_stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

}  // namespace ddm
