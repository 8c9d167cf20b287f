#include "program/shutdown_sign.h"

#include <string_view>

#include "vm/jvmti_memory.h"

namespace ddm {

ShutdownSign::ShutdownSign(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {
  const LocalRef<jclass> thread(jni, jni->FindClass("java/lang/Thread"));
  const jmethodID make = !thread ? nullptr : jni->GetMethodID(thread.get(), "<init>", "()V");
  hook_ = make == nullptr ? nullptr : jni->NewObject(thread.get(), make);
  if (!clear_exception(jni) && hook_ != nullptr &&
      call_runtime("addShutdownHook", "(Ljava/lang/Thread;)V")) {
    return;
  }
  if (hook_ != nullptr) jni->DeleteLocalRef(hook_);
  hook_ = nullptr;
}

ShutdownSign::~ShutdownSign() {
  if (hook_ == nullptr) return;
  call_runtime("removeShutdownHook", "(Ljava/lang/Thread;)Z");  // throws once hooks are started
  jni_->DeleteLocalRef(hook_);
}

bool ShutdownSign::is_seen() const {
  jint state = 0;  // of a thread that was never started
  return hook_ != nullptr && jvmti_->GetThreadState(hook_, &state) == JVMTI_ERROR_NONE &&
         state != 0;
}

bool ShutdownSign::call_runtime(const char* method, const char* descriptor) const {
  const LocalRef<jclass> type(jni_, jni_->FindClass("java/lang/Runtime"));
  const jmethodID get =
      !type ? nullptr : jni_->GetStaticMethodID(type.get(), "getRuntime", "()Ljava/lang/Runtime;");
  const jmethodID call =
      get == nullptr ? nullptr : jni_->GetMethodID(type.get(), method, descriptor);
  if (clear_exception(jni_) || call == nullptr) return false;
  const LocalRef<jobject> runtime(jni_, jni_->CallStaticObjectMethod(type.get(), get));
  if (clear_exception(jni_) || !runtime) return false;
  if (std::string_view(descriptor).ends_with('V')) {
    jni_->CallVoidMethod(runtime.get(), call, hook_);
  } else {
    jni_->CallBooleanMethod(runtime.get(), call, hook_);
  }
  return !clear_exception(jni_);
}

}  // namespace ddm
