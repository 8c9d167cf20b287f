// Weak handles of JNI that show themselves whether their object is dead. Any attached thread.
#pragma once

#include <jni.h>

#include <cstdint>

namespace ddm {

// The word that a weak handle is the address of. The collector may write it meanwhile.
inline std::uintptr_t word_behind(jweak handle) {
  constexpr std::uintptr_t kTag = 7;
  return __atomic_load_n(
      reinterpret_cast<const std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(handle) & ~kTag),
      __ATOMIC_RELAXED);
}

// With collectors that clear weak handles while the VM stands still, the word behind a handle says
// what IsSameObject would, without a call for each object; and G1, which keeps alive what is asked
// for while it marks, is not asked. Two handles of one object, which hold the same word, show that
// there is one; they differ if the object moves in between.
bool has_plain_handles(JNIEnv* jni, jobject some);

}  // namespace ddm
