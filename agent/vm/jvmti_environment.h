// A JVMTI environment of one purpose: its events, capabilities and tags are its own, so no other
// component can disable or see them.
//
// Disposed with its owner; release() it where a thread of the VM may be in a callback at any time.
#pragma once

#include <jvmti.h>

#include <memory>

namespace ddm {

struct EnvironmentDisposal {
  void operator()(jvmtiEnv* environment) const { environment->DisposeEnvironment(); }
};
using JvmtiEnvironment = std::unique_ptr<jvmtiEnv, EnvironmentDisposal>;

// Null: the VM gives none of this version.
inline JvmtiEnvironment make_jvmti_environment(JavaVM* vm, jint version = JVMTI_VERSION_11) {
  void* made = nullptr;
  if (vm->GetEnv(&made, version) != JNI_OK) return nullptr;
  return JvmtiEnvironment(static_cast<jvmtiEnv*>(made));
}
inline JvmtiEnvironment make_jvmti_environment(JNIEnv* jni, jint version = JVMTI_VERSION_11) {
  JavaVM* vm = nullptr;
  return jni->GetJavaVM(&vm) == JNI_OK ? make_jvmti_environment(vm, version) : nullptr;
}

// Adds these capabilities, and sets the callbacks and the object that they belong to.
inline jvmtiError prepare_environment(const JvmtiEnvironment& jvmti,
                                      const jvmtiCapabilities& wanted,
                                      const jvmtiEventCallbacks& callbacks, const void* self) {
  jvmtiError error = jvmti->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) error = jvmti->SetEnvironmentLocalStorage(self);
  if (error == JVMTI_ERROR_NONE) error = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  return error;
}

// The object that an environment's callbacks belong to. Null: there is none, or the environment is
// just being disposed.
template <typename T>
T* object_of(jvmtiEnv* jvmti) {
  void* object = nullptr;
  const bool known = jvmti->GetEnvironmentLocalStorage(&object) == JVMTI_ERROR_NONE;
  return known ? static_cast<T*>(object) : nullptr;
}

}  // namespace ddm
