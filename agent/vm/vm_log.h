// Keeps the VM's unified log from writing more to stdout because of the agent.
#pragma once

#include <jni.h>

namespace ddm {

// While an agent has enabled ResourceExhausted, the VM logs "[error][jvmti] Posting Resource
// Exhausted event" on stdout (jvmtiExport.cpp), in the middle of the program's output. This
// disables that tag on stdout, unless the user has configured it with -Xlog.
void keep_jvmti_log_off_stdout(JNIEnv* jni);

}  // namespace ddm
