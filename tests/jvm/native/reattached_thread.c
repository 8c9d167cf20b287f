// For tests/jvm/programs/Reattached.java: a system thread that is several Java threads in turn.
#include <jni.h>
#include <pthread.h>
#include <stdio.h>

struct Work {
  JavaVM* vm;
  jclass klass;
  jint times;
};

static void* attach_in_turn(void* argument) {
  const struct Work* work = argument;
  for (jint i = 0; i < work->times; ++i) {
    char name[32];
    snprintf(name, sizeof name, "job-%d", (int)i);
    JavaVMAttachArgs as = {JNI_VERSION_10, name, NULL};
    JNIEnv* jni = NULL;
    if ((*work->vm)->AttachCurrentThread(work->vm, (void**)&jni, &as) != JNI_OK) return NULL;
    jmethodID method = (*jni)->GetStaticMethodID(jni, work->klass, "job", "(I)V");
    (*jni)->CallStaticVoidMethod(jni, work->klass, method, i);
    (*work->vm)->DetachCurrentThread(work->vm);
  }
  return NULL;
}

JNIEXPORT void JNICALL Java_Reattached_attachInTurn(JNIEnv* jni, jclass klass, jint times) {
  struct Work work = {NULL, (*jni)->NewGlobalRef(jni, klass), times};
  pthread_t thread;
  if ((*jni)->GetJavaVM(jni, &work.vm) != JNI_OK ||
      pthread_create(&thread, NULL, attach_in_turn, &work) != 0) {
    return;
  }
  pthread_join(thread, NULL);
  (*jni)->DeleteGlobalRef(jni, work.klass);
}
