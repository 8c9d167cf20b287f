#include "vm/gc_pauses.h"

#include <memory>

#include "vm/jvmti_environment.h"
#include "vm/vm_flags.h"

namespace ddm {

bool moves_in_pauses_only() {
  for (const char* flag : {"UseSerialGC", "UseParallelGC", "UseG1GC"}) {
    if (vm_flags::boolean(flag).value_or(false)) return true;
  }
  return false;
}

namespace {

GcPauses* pauses_of(jvmtiEnv* jvmti) {
  void* pauses = nullptr;
  jvmti->GetEnvironmentLocalStorage(&pauses);
  return static_cast<GcPauses*>(pauses);
}

}  // namespace

// Sequentially consistent: every reader sees this store before any effect of the collection.
void JNICALL GcPauses::started(jvmtiEnv* jvmti) { pauses_of(jvmti)->number_.fetch_or(1); }

void JNICALL GcPauses::finished(jvmtiEnv* jvmti) {
  std::atomic<std::uint64_t>& number = pauses_of(jvmti)->number_;
  number.store((number.load() | 1) + 1);
}

GcPauses* GcPauses::watch(JavaVM* vm) {
  if (!moves_in_pauses_only()) return nullptr;
  std::unique_ptr<GcPauses> pauses(new GcPauses());  // outlives the environment on failure
  JvmtiEnvironment jvmti = make_jvmti_environment(vm);
  if (jvmti == nullptr) return nullptr;
  jvmtiCapabilities needed{};
  needed.can_generate_garbage_collection_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.GarbageCollectionStart = started;
  callbacks.GarbageCollectionFinish = finished;
  if (prepare_environment(jvmti, needed, callbacks, pauses.get()) != JVMTI_ERROR_NONE)
    return nullptr;
  for (const jvmtiEvent event :
       {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, JVMTI_EVENT_GARBAGE_COLLECTION_START}) {
    if (jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) != JVMTI_ERROR_NONE) {
      return nullptr;
    }
  }
  static_cast<void>(jvmti.release());
  return pauses.release();
}

}  // namespace ddm
