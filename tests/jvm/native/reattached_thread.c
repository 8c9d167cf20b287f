// For tests/jvm/programs/Reattached.java: a system thread that is several Java threads in turn; and
// for LateAttached.java: system threads that are Java threads once more while they end.
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

static pthread_key_t late_key;
static int rounds;  // in which destructors of the ending thread attach it

static void work_late(void* argument) {
  struct Work* work = argument;
  JavaVMAttachArgs as = {JNI_VERSION_10, (char*)"late", NULL};
  JNIEnv* jni = NULL;
  if ((*work->vm)->AttachCurrentThread(work->vm, (void**)&jni, &as) != JNI_OK) return;
  jmethodID method = (*jni)->GetStaticMethodID(jni, work->klass, "work", "()V");
  (*jni)->CallStaticVoidMethod(jni, work->klass, method);
  (*work->vm)->DetachCurrentThread(work->vm);
  if (--work->times > 0) pthread_setspecific(late_key, work);
}

static void* end_late(void* argument) {
  struct Work* work = argument;
  if (work->times > rounds) work_late(work);  // first while it runs
  pthread_setspecific(late_key, work);
  return NULL;
}

/* One after the other. */
JNIEXPORT void JNICALL Java_LateAttached_threads(JNIEnv* jni, jclass klass, jint count, jint of_ending) {
  struct Work work = {NULL, (*jni)->NewGlobalRef(jni, klass), 0};
  if ((*jni)->GetJavaVM(jni, &work.vm) != JNI_OK) return;
  if (late_key == 0) pthread_key_create(&late_key, work_late);
  rounds = of_ending;
  for (jint i = 0; i < count; ++i) {
    work.times = rounds + i % 2;
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_late, &work) == 0) pthread_join(thread, NULL);
  }
  (*jni)->DeleteGlobalRef(jni, work.klass);
}
