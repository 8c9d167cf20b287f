#include "vm/gc_pauses.h"

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
  void* environment = nullptr;
  if (!moves_in_pauses_only() || vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    return nullptr;
  }
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities needed{};
  needed.can_generate_garbage_collection_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.GarbageCollectionStart = started;
  callbacks.GarbageCollectionFinish = finished;
  auto* pauses = new GcPauses();
  const bool good =
      jvmti->AddCapabilities(&needed) == JVMTI_ERROR_NONE &&
      jvmti->SetEnvironmentLocalStorage(pauses) == JVMTI_ERROR_NONE &&
      jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                      nullptr) == JVMTI_ERROR_NONE &&
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                      nullptr) == JVMTI_ERROR_NONE;
  if (good) return pauses;
  jvmti->DisposeEnvironment();
  delete pauses;
  return nullptr;
}

}  // namespace ddm
