#include "vm/id_creation.h"

#include <chrono>

#include "core/log.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_facts.h"

namespace ddm::id_creation {
namespace {

constexpr int kFirstWithSafeIds = 23;

// Longer than any such call takes. If the lock is held longer, its owner is suspended and not
// inside the call.
constexpr std::chrono::milliseconds kLongestCall{10};

std::timed_mutex& g_mutex = *new std::timed_mutex;  // threads may wait for it at exit

}  // namespace

Turn turn(jvmtiEnv* jvmti) {
  static const bool one_at_a_time = vm_feature_release(jvmti) < kFirstWithSafeIds;
  Turn turn(g_mutex, std::defer_lock);
  if (one_at_a_time && !turn.try_lock()) (void)turn.try_lock_for(kLongestCall);
  return turn;
}

void create_all(jvmtiEnv* jvmti, jclass owner) {
  const Turn own = turn(jvmti);
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti);
  const jvmtiError error = jvmti->GetClassMethods(owner, &count, methods.out());
  if (error != JVMTI_ERROR_NONE) log_debug("GetClassMethods: {}", jvmti_error_name(error));
}

}  // namespace ddm::id_creation
