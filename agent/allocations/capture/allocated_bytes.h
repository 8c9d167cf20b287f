// The VM's own counter of the bytes that a thread has allocated: the reference for captured
// allocations.
//
// Equal to com.sun.management.ThreadMXBean.getThreadAllocatedBytes, but read from the JavaThread
// (Thread::_allocated_bytes + the used part of its TLAB) for the price of a few loads.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <string>

#include "vm/memory/vm_claims.h"
#include "vm/vm_threads.h"

namespace ddm {

class AllocatedBytes {
 public:
  // Locates the fields by vmStructs; nullopt if this VM's layout is unexpected. `current`: the
  // calling thread's java.lang.Thread.
  static std::optional<AllocatedBytes> create(JNIEnv* jni, jobject current);

  using VmThread = std::uintptr_t;  // JavaThread*, 0 = none

  VmThread current(JNIEnv* jni) const { return threads_.of(jni); }
  // 0 for a virtual thread, and for one that is not alive.
  VmThread of(JNIEnv* jni, jobject thread) const { return threads_.of(jni, thread); }

  // Verifies that the counter grows by what the calling thread allocates; returns the wrong claim
  // of the VM's tables, or "". Creates some garbage; call before the first read().
  std::string wrong(jvmtiEnv* jvmti, JNIEnv* jni) const;
  const AllocatedLayout& layout() const { return layout_; }

  // The caller ensures that the thread has not ended. For another thread the value is between the
  // truth at the call's begin and at its end.
  std::int64_t read(VmThread thread) const;

 private:
  explicit AllocatedBytes(VmThreads threads) : threads_(threads) {}

  VmThreads threads_;
  AllocatedLayout layout_;
};

}  // namespace ddm
