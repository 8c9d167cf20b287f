#include "program/java_runtime.h"

#include <string_view>

#include "vm/jvmti_memory.h"

namespace ddm {

bool call_runtime(JNIEnv* jni, const char* method, const char* descriptor, jvalue argument) {
  const LocalRef<jclass> type(jni, jni->FindClass("java/lang/Runtime"));
  const jmethodID get =
      !type ? nullptr : jni->GetStaticMethodID(type.get(), "getRuntime", "()Ljava/lang/Runtime;");
  const jmethodID call =
      get == nullptr ? nullptr : jni->GetMethodID(type.get(), method, descriptor);
  if (clear_exception(jni) || call == nullptr) return false;
  const LocalRef<jobject> runtime(jni, jni->CallStaticObjectMethod(type.get(), get));
  if (clear_exception(jni) || !runtime) return false;
  if (std::string_view(descriptor).ends_with('V')) {
    jni->CallVoidMethodA(runtime.get(), call, &argument);
  } else {
    jni->CallBooleanMethodA(runtime.get(), call, &argument);
  }
  return !clear_exception(jni);
}

}  // namespace ddm
