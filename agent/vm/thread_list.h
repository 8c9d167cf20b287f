// The VM's list of live platform threads. Any attached thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ddm {

// Local references; the caller has pushed a local frame. Empty if the VM refuses.
std::vector<jthread> all_threads(jvmtiEnv* jvmti, JNIEnv* jni);

// Their names by Java's thread id.
std::map<std::int64_t, std::string> names_of_threads(jvmtiEnv* jvmti, JNIEnv* jni);

// Declares local references created by JVMTI to -Xcheck:jni, which counts them.
void announce_local_refs(JNIEnv* jni, jint count);

// Whether the thread carries virtual threads.
bool is_carrier(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);

// How many threads are suspended, usually by a debugger; virtual threads are not counted.
struct SuspendedThreads {
  int program = 0;
  int own = 0;  // agent threads among them
};
SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
