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

void JNICALL pause_started(jvmtiEnv* jvmti) { object_of<HeapPauses>(jvmti)->begin(); }

void JNICALL pause_finished(jvmtiEnv* jvmti) { object_of<HeapPauses>(jvmti)->end(); }

}  // namespace

HeapPauses* watch_gc_pauses(JavaVM* vm) {
  if (!moves_in_pauses_only()) return nullptr;
  auto pauses = std::make_unique<HeapPauses>();  // outlives the environment on failure
  JvmtiEnvironment jvmti = make_jvmti_environment(vm);
  if (jvmti == nullptr) return nullptr;
  jvmtiCapabilities needed{};
  needed.can_generate_garbage_collection_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.GarbageCollectionStart = pause_started;
  callbacks.GarbageCollectionFinish = pause_finished;
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
