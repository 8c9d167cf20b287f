// The VM's list of live platform threads.
#pragma once

#include <jvmti.h>

#include <vector>

namespace ddm {

// Local references; the caller has pushed a local frame. Empty if the VM refuses.
std::vector<jthread> all_threads(jvmtiEnv* jvmti, JNIEnv* jni);

// Declares local references created by JVMTI to -Xcheck:jni, which counts them.
void announce_local_refs(JNIEnv* jni, jint count);

}  // namespace ddm
