// Whether the VM is in a GC pause, and whether there was one since: native code that reads the
// heap's memory must know that no object moved and no class was unloaded meanwhile.
//
// For collectors that move objects in pauses only (Serial, Parallel, G1). The events belong to a
// JVMTI environment of their own, so no other component can disable them.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>

namespace ddm {

// Whether this VM's collector is one of them.
bool moves_in_pauses_only();

class GcPauses {
 public:
  // Call once, in the live phase. Null: another collector, or the VM refuses the events. Never
  // freed: a VM thread may be in a callback at any time.
  static GcPauses* watch(JavaVM* vm);

  // Odd during a pause. Two equal even numbers: there was no pause in between.
  std::uint64_t number() const { return number_.load(std::memory_order_acquire); }
  // The variable behind number(), for code without JVMTI.
  const std::atomic<std::uint64_t>& counter() const { return number_; }
  // The number of pauses.
  static std::uint32_t count(std::uint64_t number) {
    return static_cast<std::uint32_t>(number >> 1);
  }

 private:
  GcPauses() = default;
  static void JNICALL started(jvmtiEnv* jvmti);
  static void JNICALL finished(jvmtiEnv* jvmti);

  std::atomic<std::uint64_t> number_{0};
};

}  // namespace ddm
