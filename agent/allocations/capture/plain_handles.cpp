#include "allocations/capture/plain_handles.h"

#include "vm/gc_pauses.h"
#include "vm/jvmti_memory.h"

namespace ddm {

bool has_plain_handles(JNIEnv* jni, jobject some) {
  if (!moves_in_pauses_only()) return false;
  constexpr int kTries = 3;
  bool same = false;
  for (int i = 0; i < kTries && !same; ++i) {
    const jweak one = jni->NewWeakGlobalRef(some), other = jni->NewWeakGlobalRef(some);
    if (one != nullptr && other != nullptr && one != other) {
      const std::uintptr_t word = word_behind(one);
      same = word != 0 && word == word_behind(other);
    }
    if (one != nullptr) jni->DeleteWeakGlobalRef(one);
    if (other != nullptr) jni->DeleteWeakGlobalRef(other);
    clear_exception(jni);
  }
  return same;
}

}  // namespace ddm
