// Does a call of clone() end in Object.clone(), which makes the copy, or in an override? Only the
// former may be counted at the call: an override makes its copy through a hooked super.clone() of
// its own. Any attached thread.
#pragma once

#include <jvmti.h>

namespace ddm {

class CloneResolution {
 public:
  explicit CloneResolution(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // A virtual call on an object of this class.
  bool is_native(JNIEnv* jni, jclass klass) const;

  // super.clone() in a method of `caller`.
  bool is_native_in_superclass(JNIEnv* jni, jclass caller) const;

 private:
  jvmtiEnv* const jvmti_;
};

}  // namespace ddm
