#include "vm/thread_list.h"

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kFurtherRefs = 64;  // for references that the caller creates

}  // namespace

void announce_local_refs(JNIEnv* jni, jint count) {
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

}  // namespace ddm
