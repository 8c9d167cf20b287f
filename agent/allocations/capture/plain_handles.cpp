#include "allocations/capture/plain_handles.h"

#include <algorithm>
#include <array>

#include "vm/jvmti_memory.h"
#include "vm/vm_flags.h"

namespace ddm {

bool has_plain_handles(JNIEnv* jni, jobject some) {
  constexpr std::array kFlags = {"UseSerialGC", "UseParallelGC", "UseG1GC"};
  if (std::none_of(kFlags.begin(), kFlags.end(),
                   [](const char* flag) { return vm_flags::boolean(flag) == true; })) {
    return false;
  }
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
