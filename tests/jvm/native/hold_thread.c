// Attached with "suspend NAME" or "resume NAME": does that to the threads of that name, and says on
// stderr how many there were.
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void* reserved) {
  (void)reserved;
  jvmtiEnv* jvmti = NULL;
  if ((*vm)->GetEnv(vm, (void**)&jvmti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiCapabilities wanted = {0};
  wanted.can_suspend = 1;
  jint count = 0, done = 0;
  jthread* threads = NULL;
  const char* name = strchr(options, ' ');
  if (name == NULL || (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
      (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE) {
    return JNI_ERR;
  }
  ++name;
  const int suspends = strncmp(options, "suspend ", 8) == 0;
  for (jint i = 0; i < count; ++i) {
    jvmtiThreadInfo info = {0};
    if ((*jvmti)->GetThreadInfo(jvmti, threads[i], &info) != JVMTI_ERROR_NONE) continue;
    if (strcmp(info.name, name) == 0 &&
        (suspends ? (*jvmti)->SuspendThread(jvmti, threads[i])
                  : (*jvmti)->ResumeThread(jvmti, threads[i])) == JVMTI_ERROR_NONE) {
      ++done;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char*)info.name);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char*)threads);
  (*jvmti)->DisposeEnvironment(jvmti);
  fprintf(stderr, "hold_thread: %s: %d\n", options, (int)done);
  return JNI_OK;
}
