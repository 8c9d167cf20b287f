#include "vm/halt_watch.h"

#include <utility>

#include "core/log.h"
#include "vm/boot_class.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_events.h"

namespace ddm {
namespace {

class HaltWatch final : public VmListener {
 public:
  HaltWatch(jmethodID halt, std::function<void()> halting)
      : halt_(halt), halting_(std::move(halting)) {}

 private:
  void native_method_bind(jmethodID method) override {
    if (method == halt_) halting_();
  }

  const jmethodID halt_;
  const std::function<void()> halting_;
};

}  // namespace

void watch_halt(jvmtiEnv* jvmti, JNIEnv* jni, std::function<void()> halting) {
  const LocalRef<jclass> shutdown(jni, find_boot_class(jni, "java/lang/Shutdown"));
  const jmethodID halt =
      !shutdown ? nullptr : jni->GetStaticMethodID(shutdown.get(), "halt0", "(I)V");
  if (clear_exception(jni) || halt == nullptr) {
    log_info("the VM's end is not watched: Shutdown is not as expected");
    return;
  }
  // Never freed: a thread may be about to call it at any time.
  listen_to(JVMTI_EVENT_NATIVE_METHOD_BIND, *new HaltWatch(halt, std::move(halting)));
  jvmtiCapabilities needed{};
  needed.can_generate_native_method_bind_events = 1;
  jvmtiError error = jvmti->AddCapabilities(&needed);
  if (error == JVMTI_ERROR_NONE) {
    error = jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr);
  }
  if (error != JVMTI_ERROR_NONE) {
    log_info("the VM's end is not watched: {}", jvmti_error_name(error));
  }
}

}  // namespace ddm
