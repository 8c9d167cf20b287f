#include "track/vm_engine.h"

#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"

namespace ddm {
namespace {

constexpr jsize kArmingArrayBytes = 4096;
// More than any TLAB of a VM with default settings; a larger one is left to fill by itself.
constexpr int kMostArmingArrays = 16384;

thread_local bool t_arming = false;
thread_local bool t_armed = false;

}  // namespace

VmEngine::VmEngine(jvmtiEnv* jvmti, Recorder& recorder, ThreadBooks& books)
    : jvmti_(jvmti), recorder_(recorder), books_(books) {}

std::string VmEngine::start(JNIEnv*) {
  jvmtiError error = jvmti_->SetHeapSamplingInterval(interval_);
  if (error != JVMTI_ERROR_NONE) {
    return std::string("SetHeapSamplingInterval: ") + jvmti_error_name(error);
  }
  error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
  if (error != JVMTI_ERROR_NONE) {
    return std::string("enabling SampledObjectAlloc: ") + jvmti_error_name(error);
  }
  return "";
}

std::string VmEngine::stop(JNIEnv*) {
  const jvmtiError error =
      jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
  if (error != JVMTI_ERROR_NONE) {
    return std::string("disabling SampledObjectAlloc: ") + jvmti_error_name(error);
  }
  return "";
}

void VmEngine::sampled_object_alloc(JNIEnv* jni, jthread thread, jclass klass,
                                    jlong size) noexcept {
  if (t_arming) {
    t_armed = true;
    return;
  }
  recorder_.record(jni, thread, klass, size, TopFrames::kAsTheyAre);
}

void VmEngine::arm_current_thread(JNIEnv* jni) {
  if (interval_ != 0) return;  // a sampler does not promise every object
  t_arming = true;
  t_armed = false;
  for (int i = 0; i < kMostArmingArrays && !t_armed; ++i) {
    const LocalRef<jbyteArray> array(jni, jni->NewByteArray(kArmingArrayBytes));
    if (clear_exception(jni)) break;
  }
  t_arming = false;
  books_.rebase_current(jni);
  log_debug("the calling thread {} armed", t_armed ? "is" : "is not");
}

}  // namespace ddm
