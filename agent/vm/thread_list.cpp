#include "vm/thread_list.h"

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"
#include "vm/thread_fields.h"

namespace ddm {

void announce_local_refs(JNIEnv* jni, jint count) {
  constexpr jint kFurtherRefs = 64;  // for references that the caller creates
  if (jni->EnsureLocalCapacity(count + kFurtherRefs) != JNI_OK) clear_exception(jni);
}

std::vector<jthread> all_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  const jvmtiError error = jvmti->GetAllThreads(&count, threads.out());
  if (error != JVMTI_ERROR_NONE) {
    log_warn("GetAllThreads: {}", jvmti_error_name(error));
    return {};
  }
  announce_local_refs(jni, count);
  return {threads.get(), threads.get() + count};
}

std::map<std::int64_t, std::string> names_of_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr jint kLocalRefs = 64;
  std::map<std::int64_t, std::string> names;
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return names;
  const auto fields = ThreadFields::find(jvmti, jni);
  if (!fields) return names;
  for (const jthread thread : all_threads(jvmti, jni)) {
    names[fields->id(jni, thread)] = fields->name(jni, thread);
  }
  return names;
}

bool is_carrier(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  const LocalRef<jclass> type(jni, jni->GetObjectClass(thread));
  return text_of(ClassSignature(jvmti, type.get())) == "Ljdk/internal/misc/CarrierThread;";
}

SuspendedThreads suspended_threads(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr jint kLocalRefs = 64;
  SuspendedThreads found;
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return found;
  const auto fields = ThreadFields::find(jvmti, jni);
  if (!fields) return found;
  for (const jthread listed : all_threads(jvmti, jni)) {
    const LocalRef<jthread> thread(jni, listed);
    jint state = 0;
    if (jvmti->GetThreadState(thread.get(), &state) != JVMTI_ERROR_NONE ||
        (state & JVMTI_THREAD_STATE_SUSPENDED) == 0) {
      continue;
    }
    ++(is_own_thread(fields->id(jni, thread.get())) ? found.own : found.program);
  }
  return found;
}

}  // namespace ddm
