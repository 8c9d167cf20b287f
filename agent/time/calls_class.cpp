#include "time/calls_class.h"

#include "time/call_recorder.h"

namespace ddm {

// Class files compiled from java/tracker.
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

}  // namespace

BoundClass calls_class(CallRecorder& recorder) {
  g_recorder = &recorder;
  return BoundClass({kCallsClass, kTrackerCalls, kTrackerCallsSize},
                    {"java/lang/DdmTrackerCallsLink", kTrackerCallsLink, kTrackerCallsLinkSize},
                    {native_method("entered", "(II)V", reinterpret_cast<void*>(entered)),
                     native_method("returned", "(II)V", reinterpret_cast<void*>(returned)),
                     native_method("thrown", "(II)V", reinterpret_cast<void*>(thrown))});
}

}  // namespace ddm
