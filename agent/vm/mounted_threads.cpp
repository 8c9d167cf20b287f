#include "vm/mounted_threads.h"

#include <cstring>

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/virtual_thread_support.h"

namespace ddm {
namespace {

void deallocate(jvmtiEnv* jvmti, void* memory) {
  jvmti->Deallocate(static_cast<unsigned char*>(memory));
}

// The caller must deallocate the whole list.
jvmtiExtensionFunction find_function(jvmtiEnv* jvmti, const char* id) {
  jint count = 0;
  JvmtiPtr<jvmtiExtensionFunctionInfo> list(jvmti);
  if (jvmti->GetExtensionFunctions(&count, list.out()) != JVMTI_ERROR_NONE) return nullptr;
  jvmtiExtensionFunction found = nullptr;
  for (jint i = 0; i < count; ++i) {
    const jvmtiExtensionFunctionInfo& info = list[i];
    if (std::strcmp(info.id, id) == 0) found = info.func;
    for (jint p = 0; p < info.param_count; ++p) deallocate(jvmti, info.params[p].name);
    deallocate(jvmti, info.id);
    deallocate(jvmti, info.short_description);
    deallocate(jvmti, info.params);
    deallocate(jvmti, info.errors);
  }
  return found;
}

}  // namespace

void MountedThreads::open(JNIEnv* jni) {
  if (jvmti_ != nullptr) return;
  jvmtiError error = JVMTI_ERROR_NONE;
  jvmti_ = virtual_thread_environment(jni, error);
  if (jvmti_ != nullptr) {
    function_ = reinterpret_cast<Function>(
        find_function(jvmti_.get(), "com.sun.hotspot.functions.GetVirtualThread"));
    if (function_ == nullptr) error = JVMTI_ERROR_NOT_AVAILABLE;
  }
  if (error == JVMTI_ERROR_NONE) return;
  log_info("virtual threads are not told apart from their carriers: {}", jvmti_error_name(error));
  close();
}

void MountedThreads::close() {
  jvmti_ = nullptr;
  function_ = nullptr;
}

jthread MountedThreads::on(jthread carrier) const {
  jthread mounted = nullptr;
  if (function_ == nullptr || function_(jvmti_.get(), carrier, &mounted) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  return mounted;
}

}  // namespace ddm
