#include "program/shutdown_sign.h"

#include "program/java_runtime.h"
#include "vm/jvmti_memory.h"

namespace ddm {

ShutdownSign::ShutdownSign(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {
  const LocalRef<jclass> thread(jni, jni->FindClass("java/lang/Thread"));
  const jmethodID make = !thread ? nullptr : jni->GetMethodID(thread.get(), "<init>", "()V");
  hook_ = make == nullptr ? nullptr : jni->NewObject(thread.get(), make);
  if (!clear_exception(jni) && hook_ != nullptr &&
      call_runtime(jni, "addShutdownHook", "(Ljava/lang/Thread;)V", argument())) {
    return;
  }
  if (hook_ != nullptr) jni->DeleteLocalRef(hook_);
  hook_ = nullptr;
}

ShutdownSign::~ShutdownSign() {
  if (hook_ == nullptr) return;
  // Throws once hooks are started.
  call_runtime(jni_, "removeShutdownHook", "(Ljava/lang/Thread;)Z", argument());
  jni_->DeleteLocalRef(hook_);
}

jvalue ShutdownSign::argument() const {
  jvalue value{};
  value.l = hook_;
  return value;
}

bool ShutdownSign::is_seen() const {
  jint state = 0;  // of a thread that was never started
  return hook_ != nullptr && jvmti_->GetThreadState(hook_, &state) == JVMTI_ERROR_NONE &&
         state != 0;
}

}  // namespace ddm
