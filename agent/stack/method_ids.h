// Creates the jmethodIDs of a class's methods, given a Method* that a walk has found on the calling
// thread's stack.
//
// A method has no id before one is requested, and a stack with such a method would need
// GetStackTrace, which costs dozens of microseconds; at the start of a program there are thousands.
// A Klass contains the handle of its java.lang.Class, a cell that the collector updates like those
// of JNI references, and JVMTI accepts it as one. Only for collectors that move objects in pauses:
// others require a different kind of reference. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>

#include "stack/walk/method_resolution.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {

class MethodIds {
 public:
  MethodIds(jvmtiEnv* jvmti, const MethodResolution& methods) : jvmti_(jvmti), methods_(methods) {}

  // Call once, where objects move in pauses only: verifies such a handle, and enables the creation
  // of ids.
  void begin(JNIEnv* jni) {
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

  // The method with its id; id 0: no such method, or none could be created.
  WalkedMethod version_of(VmAddress method) {
    const WalkedMethod version = methods_.checked_version_of(method);
    return version.id != 0 || !begun_ ? version : with_id(method);
  }

 private:
  // The VM never frees ids, not even of unloaded classes.
  static constexpr std::uint32_t kMostClasses = 16384;

  [[gnu::noinline]] WalkedMethod with_id(VmAddress method) {
    const VmAddress cell = methods_.class_cell_of(method);
    if (cell == 0 || classes_.fetch_add(1, std::memory_order_relaxed) >= kMostClasses) return {};
    id_creation::create_all(jvmti_, reinterpret_cast<jclass>(cell));
    return methods_.checked_version_of(method);
  }

  jvmtiEnv* const jvmti_;
  const MethodResolution& methods_;
  bool begun_ = false;
  std::atomic<std::uint32_t> classes_{0};
};

}  // namespace ddm
