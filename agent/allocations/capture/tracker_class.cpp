#include "allocations/capture/tracker_class.h"

#include <cstddef>
#include <vector>

#include "allocations/capture/bci_engine.h"
#include "vm/jvmti_error.h"

namespace ddm {

// Class files compiled from java/tracker.
extern const unsigned char kTrackerOn[];
extern const std::size_t kTrackerOnSize;
extern const unsigned char kTrackerOff[];
extern const std::size_t kTrackerOffSize;
extern const unsigned char kTrackerNatives[];
extern const std::size_t kTrackerNativesSize;

namespace {

BciEngine* g_engine = nullptr;  // there is one

template <void (BciEngine::*Method)(JNIEnv*, jobject) noexcept>
void JNICALL hook(JNIEnv* jni, jclass, jobject made) {
  (g_engine->*Method)(jni, made);
}

void JNICALL arrays(JNIEnv* jni, jclass, jobject made, jint dimensions) {
  g_engine->arrays(jni, made, dimensions);
}

template <void (BciEngine::*Method)(JNIEnv*, jobject) noexcept>
JNINativeMethod native_hook(const char* name) {
  return native_method(name, "(Ljava/lang/Object;)V", reinterpret_cast<void*>(hook<Method>));
}

// The natives of java.lang.DdmTrackerNatives.
std::vector<JNINativeMethod> tracker_natives() {
  return {
      native_hook<&BciEngine::object>("object"),
      native_hook<&BciEngine::made>("made"),
      native_method("arrays", "(Ljava/lang/Object;I)V", reinterpret_cast<void*>(arrays)),
      native_hook<&BciEngine::new_array>("newArray"),
      native_hook<&BciEngine::nested>("nested"),
      native_hook<&BciEngine::cloned>("cloned"),
      native_hook<&BciEngine::super_cloned>("superCloned"),
      native_hook<&BciEngine::backtraced>("backtraced"),
      native_hook<&BciEngine::thread_made>("threadMade"),
      native_hook<&BciEngine::constructed>("constructed"),
  };
}

}  // namespace

TrackerClass::TrackerClass(jvmtiEnv* jvmti, BciEngine& engine)
    : jvmti_(jvmti),
      class_({"java/lang/DdmTrackerNatives", kTrackerNatives, kTrackerNativesSize},
             {kTrackerClass, kTrackerOff, kTrackerOffSize}, tracker_natives()) {
  g_engine = &engine;
}

std::string TrackerClass::swap(bool on) {
  jvmtiClassDefinition definition{};
  definition.klass = class_.link();
  definition.class_bytes = on ? kTrackerOn : kTrackerOff;
  definition.class_byte_count = static_cast<jint>(on ? kTrackerOnSize : kTrackerOffSize);
  return jvmti_failure("redefining java.lang.DdmTracker", jvmti_->RedefineClasses(1, &definition));
}

}  // namespace ddm
