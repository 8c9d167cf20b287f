/* An agent that makes the VM one of another release, by what it tells of itself: loaded before the agent
   under test with the release's number. JNI's GetVersion and JVMTI's java.vm.specification.version say
   that number; all else stays what it is. */
#include <jni.h>
#include <jvmti.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static jint release = 0;
static const char* text = "";
static jvmtiError(JNICALL* ask)(jvmtiEnv*, const char*, char**);

static jint JNICALL get_version(JNIEnv* jni) {
  (void)jni;
  return release << 16;
}

static jvmtiError JNICALL get_system_property(jvmtiEnv* jvmti, const char* name, char** value) {
  if (strcmp(name, "java.vm.specification.version") != 0) return ask(jvmti, name, value);
  unsigned char* memory = NULL;
  const jvmtiError error = (*jvmti)->Allocate(jvmti, (jlong)strlen(text) + 1, &memory);
  if (error != JVMTI_ERROR_NONE) return error;
  strcpy((char*)memory, text);
  *value = (char*)memory;
  return JVMTI_ERROR_NONE;
}

/* JNI's table cannot be had before. */
static void JNICALL vm_start(jvmtiEnv* jvmti, JNIEnv* jni) {
  (void)jni;
  jniNativeInterface* table = NULL;
  if ((*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE) abort();
  table->GetVersion = get_version;
  if ((*jvmti)->SetJNIFunctionTable(jvmti, table) != JVMTI_ERROR_NONE) abort();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved) {
  (void)reserved;
  void* environment = NULL;
  jvmtiEventCallbacks callbacks;
  if ((*vm)->GetEnv(vm, &environment, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiEnv* const jvmti = environment;
  text = strdup(options);
  release = (jint)strtol(text, NULL, 10);
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.VMStart = vm_start;
  if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL) !=
          JVMTI_ERROR_NONE) {
    return JNI_ERR;
  }
  /* All environments of a VM have one table of functions. */
  jvmtiInterface_1* const functions = (jvmtiInterface_1*)*jvmti;
  const uintptr_t page = (uintptr_t)&functions->GetSystemProperty & ~(uintptr_t)4095;
  if (mprotect((void*)page, 8192, PROT_READ | PROT_WRITE) != 0) return JNI_ERR;
  ask = functions->GetSystemProperty;
  functions->GetSystemProperty = get_system_property;
  return JNI_OK;
}
