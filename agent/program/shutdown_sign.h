// Tells that the program has begun to end, long before VMDeath.
//
// From JDK 26 on the VM posts VMDeath only once no thread is in a callback any more, and waits up to
// a minute for that (JDK-8355631): a callback that blocks cannot wait for VMDeath to end it. A
// shutdown hook that does nothing is started earlier, by System.exit() and by a signal alike.
// One attached thread, in the live phase.
#pragma once

#include <jvmti.h>

namespace ddm {

class ShutdownSign {
 public:
  ShutdownSign(jvmtiEnv* jvmti, JNIEnv* jni);
  // Takes the hook out again.
  ~ShutdownSign();
  ShutdownSign(const ShutdownSign&) = delete;
  ShutdownSign& operator=(const ShutdownSign&) = delete;

  // False too where the hook could not be registered.
  bool is_seen() const;

 private:
  jvalue argument() const;  // the hook

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  jobject hook_ = nullptr;  // a local reference to a Thread
};

}  // namespace ddm
