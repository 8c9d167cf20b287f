// The Java callers of a native allocation, read without waiting or allocating.
//
// AsyncGetCallTrace is async-signal-safe: it takes no lock and does not block at a safepoint. It is
// called only on Java threads in native code or inside the VM. It requires class events, and methods
// whose ids exist: open_java_stacks() enables both, in a JVMTI environment of its own.
#pragma once

#include <jvmti.h>

#include <string>

#include "native/malloc/sample_table.h"

namespace ddm {

// Live phase, attached thread, once. "" or the reason why there will be no Java frames.
std::string open_java_stacks(jvmtiEnv* jvmti, JNIEnv* jni);

// A JavaStackReader. Any thread, any time; 0 before open_java_stacks().
std::uint32_t read_java_stack(JavaFrame* frames, std::uint32_t most);

// "a.B.method(B.java:12)"; attached threads.
std::string name_java_frame(jvmtiEnv* jvmti, JNIEnv* jni, const JavaFrame& frame);

}  // namespace ddm
