// An agent that takes the sampled allocation events for itself, at load or at late attach, and says
// on stderr whether it got them. Only one agent of a VM can have them.
#include <jvmti.h>
#include <stdio.h>

static jint take(JavaVM* vm) {
  jvmtiEnv* jvmti = NULL;
  if ((*vm)->GetEnv(vm, (void**)&jvmti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiCapabilities wanted = {0};
  wanted.can_generate_sampled_object_alloc_events = 1;
  const jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &wanted);
  fprintf(stderr, "hold_sampling: %d\n", error);
  return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved) {
  (void)options, (void)reserved;
  return take(vm);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void* reserved) {
  (void)options, (void)reserved;
  return take(vm);
}
