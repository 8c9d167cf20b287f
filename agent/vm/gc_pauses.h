// Whether the VM stands still for its collector, and whether it has since: what native code needs
// to know that objects did not move, and no class was unloaded, while it looked at their memory.
//
// For the collectors that move objects in pauses only (Serial, Parallel, G1). Events of an own JVMTI
// environment: nobody else's switching is in the way.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace ddm {

class GcPauses {
 public:
  // Once, live phase. Null: another collector, or the VM refuses the events. Never freed: the VM
  // may be in an event at any time.
  static GcPauses* watch(JavaVM* vm);

  // Odd inside a pause. Two even and equal numbers: there was no pause in between.
  std::uint64_t number() const { return number_.load(std::memory_order_acquire); }
  // What number() reads, for who knows nothing of JVMTI.
  const std::atomic<std::uint64_t>& counter() const { return number_; }
  // How many there were.
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
