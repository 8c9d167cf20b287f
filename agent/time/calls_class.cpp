#include "time/calls_class.h"

#include <cstddef>
#include <iterator>

#include "jvm/boot_class.h"
#include "jvm/jvmti_memory.h"
#include "time/call_recorder.h"

namespace ddm {

// The class files, compiled from java/tracker.
extern const unsigned char kTrackerCalls[];
extern const std::size_t kTrackerCallsSize;
extern const unsigned char kTrackerCallsLink[];
extern const std::size_t kTrackerCallsLinkSize;

namespace {

CallRecorder* g_recorder = nullptr;

void JNICALL entered(JNIEnv* jni, jclass, jint method, jint) {
  g_recorder->entered(jni, static_cast<MethodNumber>(method));
}

void JNICALL returned(JNIEnv* jni, jclass, jint method, jint) {
  g_recorder->left(jni, static_cast<MethodNumber>(method), CallAction::kReturn);
}

void JNICALL thrown(JNIEnv* jni, jclass, jint method, jint) {
  g_recorder->left(jni, static_cast<MethodNumber>(method), CallAction::kThrow);
}

JNINativeMethod native(const char* name, void* function) {
  return {const_cast<char*>(name), const_cast<char*>("(II)V"), function};
}

bool bind_natives(JNIEnv* jni, jclass calls) {
  const JNINativeMethod methods[] = {
      native("entered", reinterpret_cast<void*>(entered)),
      native("returned", reinterpret_cast<void*>(returned)),
      native("thrown", reinterpret_cast<void*>(thrown)),
  };
  const jint result = jni->RegisterNatives(calls, methods, std::size(methods));
  return !clear_exception(jni) && result == JNI_OK;
}

}  // namespace

CallsClass::CallsClass(CallRecorder& recorder) { g_recorder = &recorder; }

std::string CallsClass::define(JNIEnv* jni) {
  if (bound_) return "";
  if (calls_ == nullptr) {
    calls_ = define_boot_class(jni, kCallsClass, kTrackerCalls, kTrackerCallsSize);
    link_ = define_boot_class(jni, "java/lang/DdmTrackerCallsLink", kTrackerCallsLink,
                         kTrackerCallsLinkSize);
  }
  if (calls_ == nullptr || link_ == nullptr) {
    return "the VM refused to define java.lang.DdmTrackerCalls";
  }
  // A class whose natives are not bound must not be called from rewritten code. RegisterNatives on a
  // class of java.base prints a warning on stdout unless it is called from java.base (jni.cpp).
  linking_ = true;
  const jmethodID method = jni->GetStaticMethodID(calls_, "link", "()V");
  if (method != nullptr) jni->CallStaticVoidMethod(calls_, method);
  linking_ = false;
  if (clear_exception(jni) || method == nullptr) return "java.lang.DdmTrackerCalls cannot be linked";
  return bound_ ? "" : "the natives of java.lang.DdmTrackerCalls cannot be registered";
}

void CallsClass::prepared(JNIEnv* jni, jclass klass) {
  if (linking_ && jni->IsSameObject(klass, link_)) bound_ = bind_natives(jni, calls_);
}

}  // namespace ddm
