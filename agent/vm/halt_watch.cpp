#include "vm/halt_watch.h"

#include <exception>
#include <utility>

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// Never freed: a thread may be in the callback at any time.
struct HaltWatch {
  jmethodID halt;
  std::function<void()> halting;
};

void JNICALL NativeMethodBind(jvmtiEnv* jvmti, JNIEnv*, jthread, jmethodID method, void*, void**) {
  void* watch = nullptr;
  jvmti->GetEnvironmentLocalStorage(&watch);
  if (watch == nullptr || static_cast<HaltWatch*>(watch)->halt != method) return;
  try {
    static_cast<HaltWatch*>(watch)->halting();
  } catch (const std::exception& failure) {
    log_error("before the VM halts: {}", failure.what());
  }
}

}  // namespace

void watch_halt(JavaVM* vm, JNIEnv* jni, std::function<void()> halting) {
  const LocalRef<jclass> shutdown(jni, jni->FindClass("java/lang/Shutdown"));
  const jmethodID halt =
      !shutdown ? nullptr : jni->GetStaticMethodID(shutdown.get(), "halt0", "(I)V");
  void* environment = nullptr;
  if (clear_exception(jni) || halt == nullptr ||
      vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    log_info("the VM's end is not watched: Shutdown is not as expected");
    return;
  }
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities needed{};
  needed.can_generate_native_method_bind_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.NativeMethodBind = NativeMethodBind;
  jvmtiError error = jvmti->AddCapabilities(&needed);
  if (error == JVMTI_ERROR_NONE) {
    error = jvmti->SetEnvironmentLocalStorage(new HaltWatch{halt, std::move(halting)});
  }
  if (error == JVMTI_ERROR_NONE) error = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (error == JVMTI_ERROR_NONE) {
    error = jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr);
  }
  if (error != JVMTI_ERROR_NONE) {
    log_info("the VM's end is not watched: {}", jvmti_error_name(error));
  }
}

}  // namespace ddm
