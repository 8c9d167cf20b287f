// Keeps the VM's unified log from writing more to stdout because of the agent.
#pragma once

#include <jni.h>

#include <string>

namespace ddm {

// While an agent has enabled ResourceExhausted, the VM logs "[error][jvmti] Posting Resource
// Exhausted event" on stdout (jvmtiExport.cpp), in the middle of the program's output. This
// disables that tag on stdout, unless the user has configured it with -Xlog.
void keep_jvmti_log_off_stdout(JNIEnv* jni);

// While it exists, the VM's warnings of natives that are registered from outside of java.base stay off
// stdout, under the same condition.
class RegistrationLogOffStdout {
 public:
  explicit RegistrationLogOffStdout(JNIEnv* jni);
  ~RegistrationLogOffStdout();
  RegistrationLogOffStdout(const RegistrationLogOffStdout&) = delete;
  RegistrationLogOffStdout& operator=(const RegistrationLogOffStdout&) = delete;

 private:
  JNIEnv* const jni_;
  std::string to_restore_;  // the command; "": nothing was changed
};

}  // namespace ddm
