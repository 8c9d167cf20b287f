// The VM's own count of the bytes a thread has allocated: the truth that captured allocations are
// held against.
//
// Equal to com.sun.management.ThreadMXBean.getThreadAllocatedBytes, but read from the thread's
// structure (Thread::_allocated_bytes + what is used of its open TLAB) at the cost of a few loads.
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
  // Finds the fields by name in vmStructs; none when this VM does not have them as expected.
  // `current` is the calling thread's java.lang.Thread.
  static std::optional<AllocatedBytes> create(JNIEnv* jni, jobject current);

  using VmThread = std::uintptr_t;  // JavaThread*, 0 = none

  VmThread current(JNIEnv* jni) const { return threads_.of(jni); }
  // 0 for a thread that is not alive (or a virtual one).
  VmThread of(JNIEnv* jni, jobject thread) const { return threads_.of(jni, thread); }

  // Which of the VM's claims is wrong, or "": whether the counter grows by what the calling thread
  // allocates. Makes some garbage; before the first read().
  std::string wrong(jvmtiEnv* jvmti, JNIEnv* jni) const;
  const AllocatedLayout& layout() const { return layout_; }

  // The caller sees to it that the thread has not ended. May be called for other threads: a value
  // is never larger than the truth at the call's end, and never smaller than at its begin.
  std::int64_t read(VmThread thread) const;

 private:
  explicit AllocatedBytes(VmThreads threads) : threads_(threads) {}

  VmThreads threads_;
  AllocatedLayout layout_;
};

}  // namespace ddm
