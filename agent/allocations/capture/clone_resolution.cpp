#include "allocations/capture/clone_resolution.h"

#include "vm/jvmti_memory.h"

namespace ddm {

bool CloneResolution::is_native(JNIEnv* jni, jclass klass) const {
  // GetMethodID selects the same method as a virtual call: the class's own or the nearest inherited
  // one.
  const jmethodID method = jni->GetMethodID(klass, "clone", "()Ljava/lang/Object;");
  if (clear_exception(jni) || method == nullptr) return false;
  jboolean native = JNI_FALSE;
  return jvmti_->IsMethodNative(method, &native) == JVMTI_ERROR_NONE && native == JNI_TRUE;
}

bool CloneResolution::is_native_in_superclass(JNIEnv* jni, jclass caller) const {
  const LocalRef<jclass> superclass(jni, jni->GetSuperclass(caller));
  return superclass && is_native(jni, superclass.get());
}

}  // namespace ddm
