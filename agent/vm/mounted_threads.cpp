#include "vm/mounted_threads.h"

#include <cstring>

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kFirstRelease = 0x00150000;  // 21: JVMTI_VERSION_21, JNI_VERSION_21

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
  if (jvmti_ != nullptr || jni->GetVersion() < kFirstRelease) return;
  jvmti_ = make_jvmti_environment(jni, kFirstRelease | JVMTI_VERSION_INTERFACE_JVMTI);
  if (jvmti_ == nullptr) return;
  // The headers of 17 have no name for this capability; this is its bit in JVMTI 21.
  jvmtiCapabilities potential{};
  jvmtiCapabilities wanted{};
  constexpr unsigned kSupportVirtualThreads = 44;
  auto* const bits = reinterpret_cast<unsigned char*>(&wanted);
  bits[kSupportVirtualThreads / 8] = static_cast<unsigned char>(1u << (kSupportVirtualThreads % 8));
  const auto* const offered = reinterpret_cast<const unsigned char*>(&potential);
  jvmtiError error = jvmti_->GetPotentialCapabilities(&potential);
  if (error == JVMTI_ERROR_NONE &&
      (offered[kSupportVirtualThreads / 8] & bits[kSupportVirtualThreads / 8]) == 0) {
    error = JVMTI_ERROR_NOT_AVAILABLE;
  }
  if (error == JVMTI_ERROR_NONE) error = jvmti_->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) {
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
