// The VM's unified log, as far as the agent must see to it that nothing new reaches stdout.
#pragma once

#include <jni.h>

#include <string>
#include <string_view>

namespace ddm {

// An agent that wants the ResourceExhausted event makes the VM log "[error][jvmti] Posting Resource
// Exhausted event" on stdout (jvmtiExport.cpp), where it would mix with the program's output. This
// switches that one tag off on stdout, unless the user has asked for it with -Xlog.
void keep_jvmti_log_off_stdout(JNIEnv* jni);

// The `VM.log` command that does so, from the answer to `VM.log list`; "" = leave things alone.
std::string command_to_silence_jvmti(std::string_view log_configuration);

}  // namespace ddm
