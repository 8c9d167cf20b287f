#include "heap/late_classes.h"

#include "vm/jvmti_environment.h"
#include "vm/jvmti_error.h"

namespace ddm {

std::string LateClasses::begin() {
  {
    const std::lock_guard lock(mutex_);
    cells_.clear();
    cells_.reserve(kMost);
  }
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassPrepare = on_prepare;
  jvmtiError error = jvmti_->SetEnvironmentLocalStorage(this);
  if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (error == JVMTI_ERROR_NONE) {
    error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, nullptr);
  }
  return error == JVMTI_ERROR_NONE ? "" : jvmti_error_name(error);
}

void LateClasses::end() {
  jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, nullptr);
}

void LateClasses::on_prepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass mirror) {
  auto* const self = object_of<LateClasses>(jvmti);
  if (self == nullptr) return;
  const auto cell = self->reader_.cell_of(jni, self->layout_, mirror);
  if (!cell) return;
  const std::lock_guard lock(self->mutex_);
  if (self->cells_.size() < kMost) self->cells_.push_back(*cell);
}

void LateClasses::add_to(KlassTable& table) noexcept {
  const std::lock_guard lock(mutex_);
  for (const KlassCell& cell : cells_) table.insert(cell);
}

}  // namespace ddm
