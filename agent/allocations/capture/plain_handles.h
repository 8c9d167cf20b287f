// Weak JNI handles whose memory shows whether their object is dead. Any attached thread.
#pragma once

#include <jni.h>

#include <cstdint>

namespace ddm {

// The word that a weak handle points to. The collector may write it concurrently.
inline std::uintptr_t word_behind(jweak handle) {
  constexpr std::uintptr_t kTag = 7;
  return __atomic_load_n(
      reinterpret_cast<const std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(handle) & ~kTag),
      __ATOMIC_RELAXED);
}

// With collectors that clear weak handles in a pause, the word behind a handle replaces a call of
// IsSameObject per object; that call would also keep objects alive while G1 marks. True if two handles
// of one object have the same word; they differ if the object moves in between.
bool has_plain_handles(JNIEnv* jni, jobject some);

}  // namespace ddm
