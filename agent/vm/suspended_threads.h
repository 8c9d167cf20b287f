// Counts threads of the VM that are suspended, usually by a debugger.
#pragma once

#include <jvmti.h>

namespace ddm {

struct SuspendedThreads {
  int program = 0;
  int own = 0;  // agent threads among them
};

// Any attached thread. Virtual threads are not counted.
SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
