// The Java frames above a native allocation, read where nothing may be waited for or allocated.
//
// AsyncGetCallTrace is made for signal handlers, so it takes no lock and no step that a safepoint
// could stop; it is asked only on Java threads that are in native code or inside the VM. What it
// wants in return is that the VM posts class events and that methods have got their ids before:
// both are switched on by open(), in a JVMTI environment of its own.
#pragma once

#include <jvmti.h>

#include <string>

#include "native/malloc/sample_table.h"

namespace ddm {

// Live phase, attached thread, once. "" or why there will be no Java frames.
std::string open_java_stacks(JavaVM* vm, JNIEnv* jni);

// A JavaStackReader. Any thread, any time; 0 before open_java_stacks().
std::uint32_t read_java_stack(JavaFrame* frames, std::uint32_t most);

// "a.B.method(B.java:12)"; attached threads.
std::string name_java_frame(jvmtiEnv* jvmti, JNIEnv* jni, const JavaFrame& frame);

}  // namespace ddm
