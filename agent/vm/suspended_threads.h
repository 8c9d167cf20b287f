// How many threads of the VM stand still because somebody has suspended them, a debugger as a rule.
#pragma once

#include <jvmti.h>

namespace ddm {

struct SuspendedThreads {
  int program = 0;
  int own = 0;  // of the agent's
};

// Any attached thread. Virtual threads are not counted.
SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
