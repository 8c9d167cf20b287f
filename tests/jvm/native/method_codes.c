/* For tests/jvm/programs/Probed.java: the bytecode of a class's methods as the VM has it now. */
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long hash_of(const unsigned char* code, jint size) {
  unsigned long long hash = 14695981039346656037ull;
  for (jint i = 0; i < size; ++i) hash = (hash ^ code[i]) * 1099511628211ull;
  return hash & 0x7fffffffffffffffull;
}

/* "name+descriptor hash\n" of each method that has code. */
JNIEXPORT jstring JNICALL Java_Probed_codes(JNIEnv* jni, jclass self, jclass type) {
  JavaVM* vm = NULL;
  jvmtiEnv* jvmti = NULL;
  jvmtiCapabilities wanted;
  jmethodID* methods = NULL;
  jint count = 0;
  char* text = calloc(1, 1 << 20);
  size_t used = 0;
  jstring result = NULL;
  (void)self;
  memset(&wanted, 0, sizeof wanted);
  wanted.can_get_bytecodes = 1;
  if (text == NULL || (*jni)->GetJavaVM(jni, &vm) != JNI_OK ||
      (*vm)->GetEnv(vm, (void**)&jvmti, JVMTI_VERSION_11) != JNI_OK ||
      (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
      (*jvmti)->GetClassMethods(jvmti, type, &count, &methods) != JVMTI_ERROR_NONE) {
    free(text);
    return NULL;
  }
  for (jint i = 0; i < count; ++i) {
    char *name = NULL, *signature = NULL;
    unsigned char* code = NULL;
    jint size = 0;
    if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, &signature, NULL) != JVMTI_ERROR_NONE) {
      continue;
    }
    if ((*jvmti)->GetBytecodes(jvmti, methods[i], &size, &code) == JVMTI_ERROR_NONE &&
        used < (1 << 20) - 1000) {
      used += (size_t)snprintf(text + used, 1000, "%s%s %llu\n", name, signature,
                               hash_of(code, size));
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char*)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char*)signature);
    (*jvmti)->Deallocate(jvmti, code);
  }
  (*jvmti)->Deallocate(jvmti, (unsigned char*)methods);
  (*jvmti)->DisposeEnvironment(jvmti);
  result = (*jni)->NewStringUTF(jni, text);
  free(text);
  return result;
}
