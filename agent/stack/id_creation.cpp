#include "stack/id_creation.h"

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

constexpr int kFirstWithSafeIds = 23;

}  // namespace

IdCreation::IdCreation(jvmtiEnv* jvmti)
    : jvmti_(jvmti), one_at_a_time_(vm_feature_release(jvmti) < kFirstWithSafeIds) {}

IdCreation::Turn IdCreation::turn() {
  Turn turn(mutex_, std::defer_lock);
  if (one_at_a_time_ && !turn.try_lock()) (void)turn.try_lock_for(kPatience);
  return turn;
}

void IdCreation::create_all(jclass owner) {
  const Turn own = turn();
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti_);
  const jvmtiError error = jvmti_->GetClassMethods(owner, &count, methods.out());
  if (error != JVMTI_ERROR_NONE) log_debug("GetClassMethods: {}", jvmti_error_name(error));
}

}  // namespace ddm
