#include "vm/suspended_threads.h"

#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"

namespace ddm {

SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr jint kLocalRefs = 64;
  SuspendedThreads found;
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return found;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  if (jvmti->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return found;
  jfieldID id = nullptr;
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jthread> thread(jni, threads[i]);
    jint state = 0;
    if (jvmti->GetThreadState(thread.get(), &state) != JVMTI_ERROR_NONE) continue;
    if ((state & JVMTI_THREAD_STATE_SUSPENDED) == 0) continue;
    if (id == nullptr) {
      const LocalRef<jclass> type(jni, jni->GetObjectClass(thread.get()));
      id = jni->GetFieldID(type.get(), "tid", "J");
      if (clear_exception(jni) || id == nullptr) return found;
    }
    ++(is_own_thread(jni->GetLongField(thread.get(), id)) ? found.own : found.program);
  }
  return found;
}

}  // namespace ddm
