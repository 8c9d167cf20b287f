// Detects that the program's shutdown has begun, long before VMDeath.
//
// From JDK 26 on the VM posts VMDeath only once no thread is in a callback, and waits up to a minute
// for that (JDK-8355631): a blocking callback cannot rely on VMDeath to end it. An empty shutdown hook
// starts earlier, both for System.exit() and for signals. One attached thread, in the live phase.
#pragma once

#include <jvmti.h>

namespace ddm {

class ShutdownSign {
 public:
  ShutdownSign(jvmtiEnv* jvmti, JNIEnv* jni);
  // Removes the hook.
  ~ShutdownSign();
  ShutdownSign(const ShutdownSign&) = delete;
  ShutdownSign& operator=(const ShutdownSign&) = delete;

  // Also false if the hook could not be registered.
  bool is_seen() const;

 private:
  jvalue argument() const;  // the hook

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  jobject hook_ = nullptr;  // a local reference to a Thread
};

}  // namespace ddm
