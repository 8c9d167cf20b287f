// Keeps the VM's unified log from writing more to stdout because of the agent.
#pragma once

#include <jni.h>

#include <string>
#include <string_view>

namespace ddm {

// While an agent has enabled ResourceExhausted, the VM logs "[error][jvmti] Posting Resource
// Exhausted event" on stdout (jvmtiExport.cpp), in the middle of the program's output. This
// disables that tag on stdout, unless the user has configured it with -Xlog.
void keep_jvmti_log_off_stdout(JNIEnv* jni);

// The `VM.log` command for that, derived from the output of `VM.log list`; "" = nothing to change.
std::string command_to_silence_jvmti(std::string_view log_configuration);

}  // namespace ddm
