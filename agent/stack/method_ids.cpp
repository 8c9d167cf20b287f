#include "stack/method_ids.h"

#include "vm/jvmti_memory.h"

namespace ddm {

void MethodIds::begin(JNIEnv* jni) {
  if (methods_.ids_are_keys()) return;  // ids do not lead to a Method*
  constexpr int kTries = 4;             // a GC pause between two loads may move the class
  const LocalRef<jclass> some(jni, jni->FindClass("java/lang/Thread"));
  const jmethodID id = some ? jni->GetMethodID(some.get(), "run", "()V") : nullptr;
  if (clear_exception(jni) || id == nullptr) return;
  const VmAddress cell = methods_.class_cell_of(load<VmAddress>(reinterpret_cast<VmAddress>(id)));
  if (cell == 0) return;
  for (int i = 0; i < kTries && !begun_; ++i) {
    begun_ = load<VmAddress>(cell) == load<VmAddress>(reinterpret_cast<VmAddress>(some.get()));
  }
}

WalkedMethod MethodIds::with_id(VmAddress method) {
  const VmAddress cell = methods_.class_cell_of(method);
  if (cell == 0 || classes_.fetch_add(1, std::memory_order_relaxed) >= kMostClasses) return {};
  jvmti_.give_ids(reinterpret_cast<jclass>(cell));
  return methods_.checked_version_of(method);
}

}  // namespace ddm
