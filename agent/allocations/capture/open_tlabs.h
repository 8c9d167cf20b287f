// Makes every thread's next allocation visible to sampling, without a collection.
//
// SampledObjectAlloc considers an allocation only on the slow path, that is at the end of the
// thread's TLAB, and a slow thread may use one TLAB for hours. Therefore, at a safepoint, the end
// of every TLAB is moved to the thread's current position:
//
//   ThreadLocalAllocBuffer   _start .. _top .. _end .. (_allocation_end, not exported: the true end)
//
// The VM's own sampling does the same (set_sample_end); the slow path restores the true end while
// the event is enabled, and otherwise retires the TLAB.
//
// There the VM also checks whether a sample is due; each thread's countdown is restarted
// (sample_countdown.h).
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "allocations/capture/sample_countdown.h"
#include "vm/memory/vm_claims.h"
#include "vm/vm_thread_list.h"

namespace ddm {

class OpenTlabs {
 public:
  // `allocated`: the verified location of a thread's TLAB; `current`: the calling thread, which has
  // one. nullopt if the VM's tables lack a required field or are wrong.
  static std::optional<OpenTlabs> find(JNIEnv* jni, const AllocatedLayout& allocated,
                                       std::uintptr_t current);

  // Reads the countdown of the calling thread, or of any thread at a safepoint.
  SampleCountdown::Words read(std::uintptr_t thread) const;
  SampleCountdown& countdowns() { return countdown_; }

  // At a safepoint, with SampledObjectAlloc enabled. `next_countdown` is called for each thread.
  void close(const std::function<std::uint64_t()>& next_countdown);

 private:
  OpenTlabs(const VmThreadList& threads, SampleCountdown countdown)
      : threads_(threads), countdown_(countdown) {}

  VmThreadList threads_;
  std::int64_t tlab_start_ = 0;  // offsets in a JavaThread
  std::int64_t tlab_top_ = 0;
  std::int64_t tlab_end_ = 0;
  std::int64_t tlab_since_ = 0;  // until 23: bytes of the TLAB since the last sample, else 0
  SampleCountdown countdown_;
};

}  // namespace ddm
