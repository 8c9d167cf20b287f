// The unused parts of TLABs. They lie between objects and contain none, so a walk skips them, unless
// the VM has filled them with filler objects.
//
//   ThreadLocalAllocBuffer   _start .. _top .. _end .. _allocation_end .. and a reserve behind
//
// _end is lowered while allocations are sampled. _allocation_end is not exported: in every release
// so far it is the one word between _end and _desired_size, and other layouts are refused.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "heap/walk/heap_space.h"
#include "vm/memory/object_layout.h"
#include "vm/vm_thread_list.h"

namespace ddm {

class OpenBuffers {
 public:
  // `current`: the calling JavaThread; `release`: 17, 25, ... nullopt: the layout is unknown.
  static std::optional<OpenBuffers> find(JNIEnv* jni, const ObjectLayout& objects,
                                         std::uintptr_t current, int release);

  // At a safepoint; does not allocate. False: more than the capacity of `holes`, or bounds in the
  // wrong order.
  bool read(std::vector<HeapHole>& holes) const noexcept;

 private:
  OpenBuffers(const VmThreadList& threads) : threads_(threads) {}

  VmThreadList threads_;
  std::int64_t start_ = 0;  // offsets in a thread
  std::int64_t top_ = 0;
  std::int64_t end_ = 0;
  std::uint64_t reserve_bytes_ = 0;  // after the end of each TLAB
};

}  // namespace ddm
