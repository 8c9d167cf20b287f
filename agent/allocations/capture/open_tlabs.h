// Makes the VM see the next allocation of every thread, from now on and without a collection.
//
// SampledObjectAlloc looks at an allocation only when it leaves the fast path, that is at the end
// of the thread's open TLAB. A slow thread may live in one TLAB for hours. So, while the VM stands
// still, the end of every open TLAB is moved to where the thread has come:
//
//   ThreadLocalAllocBuffer   _start .. _top .. _end .. (_allocation_end, the true end; not
//   exported)
//
// That is what the VM's own sampling does (set_sample_end); the slow path takes the true end back
// while the event is on, and gives the rest of the buffer up otherwise.
//
// There the VM also asks whether a sample is due; each thread's countdown begins anew
// (sample_countdown.h).
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "allocations/capture/sample_countdown.h"
#include "vm/memory/vm_claims.h"
#include "vm/vm_thread_list.h"

namespace ddm {

class OpenTlabs {
 public:
  // `allocated`: where a thread's TLAB is, checked; `current`: the calling thread, which has one.
  // None where the VM's tables lack a field that is needed, or say something wrong.
  static std::optional<OpenTlabs> find(const AllocatedLayout& allocated, std::uintptr_t current);

  struct Closed {
    int threads = 0;          // that had an open TLAB
    bool countdowns = false;  // those of all threads have begun anew
  };

  // The countdown of a thread: the calling one, or any while the VM stands still.
  SampleCountdown::Seen look(std::uintptr_t thread) const;
  SampleCountdown& countdowns() { return countdown_; }

  // Live phase, an attached thread, with SampledObjectAlloc on. `next_countdown` is called for each
  // thread while the VM stands still. The error: why the VM could not be stopped.
  std::string close(jvmtiEnv* jvmti, const std::function<std::uint64_t()>& next_countdown,
                    Closed& closed);

 private:
  OpenTlabs(const VmThreadList& threads, SampleCountdown countdown)
      : threads_(threads), countdown_(countdown) {}

  Closed close_all(const std::function<std::uint64_t()>& next_countdown);

  VmThreadList threads_;
  std::int64_t tlab_start_ = 0;  // offsets in a thread
  std::int64_t tlab_top_ = 0;
  std::int64_t tlab_end_ = 0;
  std::int64_t tlab_since_ = 0;  // until 23: what a TLAB holds of the bytes since a sample, else 0
  SampleCountdown countdown_;
};

}  // namespace ddm
