#include "stack/stacks.h"

#include <utility>

#include "core/log.h"
#include "vm/gc_pauses.h"

namespace ddm {

Stacks::Stacks(jvmtiEnv* jvmti, JNIEnv* jni, jobject current)
    : jvmti_(jvmti),
      pointers_(jni),
      methods_(jvmti, jni, names_, rewritten_, reclamation_, pointers_),
      jvmti_stacks_(jvmti, methods_),
      vm_stacks_(current == nullptr
                     ? Error{"the VM does not say which thread this is"}
                     : VmStackCapture::create(jni, current, pointers_, jvmti_stacks_, methods_)),
      chosen_(&choose()) {}

void Stacks::use(WalkerKind wanted) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(wanted_, wanted) != wanted) chosen_ = &choose();
}

StackCapture& Stacks::ready(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  watch_pauses(jni);
  return chosen();
}

StackCapture& Stacks::choose() {
  if (wanted_ == WalkerKind::kJvmti) return jvmti_stacks_;
  if (wanted_ == WalkerKind::kAsgct) {
    log_warn("walker=asgct: AsyncGetCallTrace fails in allocation events; walker=auto is used");
  }
  if (vm_stacks_) return **vm_stacks_;
  if (wanted_ == WalkerKind::kVm) {
    log_error("walker=vm: {}; stacks are walked by jvmti", vm_stacks_.message());
  } else {
    log_info("stacks are walked by jvmti: {}", vm_stacks_.message());
  }
  return jvmti_stacks_;
}

// Once, before the first stack is walked.
void Stacks::watch_pauses(JNIEnv* jni) {
  if (std::exchange(pauses_watched_, true)) return;
  if (!vm_stacks_ && wanted_ == WalkerKind::kAuto) {
    log_warn("stacks are walked by jvmti: {}", vm_stacks_.message());
  }
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) == JNI_OK) pauses_ = watch_gc_pauses(vm);
  if (vm_stacks_) (*vm_stacks_)->watch(jni, pauses_);
}

StackNaming Stacks::naming(JNIEnv* jni) {
  StackCapture& stacks = ready(jni);
  return {names_, methods_, reclamation_, stacks};
}

void Stacks::add_user(NamesUser& user) {
  const std::lock_guard lock(sweeping_);
  users_.push_back(&user);
}

}  // namespace ddm
