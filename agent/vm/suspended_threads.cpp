#include "vm/suspended_threads.h"

#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"

namespace ddm {

SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr jint kLocalRefs = 64;
  SuspendedThreads found;
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return found;
  const auto fields = ThreadFields::find(jvmti, jni);
  if (!fields) return found;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  if (jvmti->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return found;
  for (jint i = 0; i < count; ++i) {
    const LocalRef<jthread> thread(jni, threads[i]);
    jint state = 0;
    if (jvmti->GetThreadState(thread.get(), &state) != JVMTI_ERROR_NONE) continue;
    if ((state & JVMTI_THREAD_STATE_SUSPENDED) == 0) continue;
    ++(is_own_thread(fields->id(jni, thread.get())) ? found.own : found.program);
  }
  return found;
}

}  // namespace ddm
