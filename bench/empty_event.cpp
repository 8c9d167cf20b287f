// The least that engine=vm can cost: an agent that has the VM tell of every allocation and does
// nothing about it. For bench/real_programs.py; loaded with -agentpath.
#include <jvmti.h>

#include <cstdio>

namespace {

void JNICALL sampled_object_alloc(jvmtiEnv*, JNIEnv*, jthread, jobject, jclass, jlong) {}

bool listen(JavaVM* vm) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return false;
  auto* const jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities needed{};
  needed.can_generate_sampled_object_alloc_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.SampledObjectAlloc = sampled_object_alloc;
  return jvmti->AddCapabilities(&needed) == JVMTI_ERROR_NONE &&
         jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
         jvmti->SetHeapSamplingInterval(0) == JVMTI_ERROR_NONE &&
         jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr) ==
             JVMTI_ERROR_NONE;
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char*, void*) {
  if (listen(vm)) return JNI_OK;
  std::fputs("empty_event: this VM does not tell of allocations\n", stderr);
  return JNI_ERR;
}
