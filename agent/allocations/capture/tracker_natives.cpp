#include "allocations/capture/tracker_natives.h"

#include "allocations/capture/bci_engine.h"
#include "vm/bound_class.h"

namespace ddm {
namespace {

BciEngine* g_engine = nullptr;

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

}  // namespace

void set_tracker_engine(BciEngine* engine) { g_engine = engine; }

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

}  // namespace ddm
