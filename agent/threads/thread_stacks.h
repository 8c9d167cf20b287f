// The Java stack of one thread, with names: what jstack shows of it.
#pragma once

#include <jvmti.h>

#include <vector>

#include "core/result.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// jstack's limit (MaxJavaStackTraceDepth).
inline constexpr jint kMaxStackFrames = 1024;

// Innermost frame first. Attached threads; the thread is stopped for the walk alone.
Result<std::vector<ThreadStack::Frame>> read_stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

}  // namespace ddm
