// Finds the JavaThread that a JNIEnv is embedded in.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace ddm {

class VmThreads {
 public:
  // The calling thread's JavaThread, from its java.lang.Thread. 0: the layout is unexpected.
  static std::uintptr_t current(jvmtiEnv* jvmti, JNIEnv* jni);

  // `current`: the calling thread's java.lang.Thread, a platform thread. nullopt: the layout is
  // unexpected.
  static std::optional<VmThreads> create(JNIEnv* jni, jobject current);

  std::uintptr_t of(JNIEnv* jni) const {
    return reinterpret_cast<std::uintptr_t>(jni) - jni_env_offset_;
  }
  // The JavaThread of any platform thread; 0: not alive.
  std::uintptr_t of(JNIEnv* jni, jobject thread) const {
    return static_cast<std::uintptr_t>(jni->GetLongField(thread, eetop_));
  }

 private:
  VmThreads(jfieldID eetop, std::uintptr_t offset) : eetop_(eetop), jni_env_offset_(offset) {}

  jfieldID eetop_;
  std::uintptr_t jni_env_offset_;
};

}  // namespace ddm
