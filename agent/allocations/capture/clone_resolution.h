// Determines whether a call of clone() reaches Object.clone(), which allocates the copy, or an
// override. Only the former may be counted at the call: an override allocates by its own, hooked
// super.clone(). Any attached thread.
#pragma once

#include <jvmti.h>

namespace ddm {

class CloneResolution {
 public:
  explicit CloneResolution(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // For a virtual call on an object of this class.
  bool is_native(JNIEnv* jni, jclass klass) const;

  // For super.clone() in a method of `caller`.
  bool is_native_in_superclass(JNIEnv* jni, jclass caller) const;

 private:
  jvmtiEnv* const jvmti_;
};

}  // namespace ddm
