#include "track/tracker_natives.h"

#include <iterator>

#include "jvm/jvmti_memory.h"
#include "track/bci_engine.h"

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

void JNICALL built(JNIEnv*, jclass, jobject) {}

JNINativeMethod native(const char* name, void* function,
                       const char* signature = "(Ljava/lang/Object;)V") {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

}  // namespace

void set_tracker_engine(BciEngine* engine) { g_engine = engine; }

bool bind_tracker_natives(JNIEnv* jni, jclass natives) {
  const JNINativeMethod methods[] = {
      native("object", reinterpret_cast<void*>(hook<&BciEngine::object>)),
      native("made", reinterpret_cast<void*>(hook<&BciEngine::made>)),
      native("arrays", reinterpret_cast<void*>(arrays), "(Ljava/lang/Object;I)V"),
      native("newArray", reinterpret_cast<void*>(hook<&BciEngine::new_array>)),
      native("nested", reinterpret_cast<void*>(hook<&BciEngine::nested>)),
      native("cloned", reinterpret_cast<void*>(hook<&BciEngine::cloned>)),
      native("superCloned", reinterpret_cast<void*>(hook<&BciEngine::super_cloned>)),
      native("built", reinterpret_cast<void*>(built)),
      native("backtraced", reinterpret_cast<void*>(hook<&BciEngine::backtraced>)),
  };
  const jint result = jni->RegisterNatives(natives, methods, std::size(methods));
  return !clear_exception(jni) && result == JNI_OK;
}

}  // namespace ddm
