// Finds the code blob that contains a program counter, by the VM's segment map; lock-free, any
// thread.
#pragma once

#include "stack/walk/vm_memory.h"

namespace ddm {

class CodeHeaps {
 public:
  CodeHeaps(const VmLayout& layout, const UnprovenMemory& memory)
      : layout_(layout), memory_(memory) {}

  // The start of the CodeBlob, or 0. Valid while the blob is kept alive, for example by a frame of
  // the calling thread in it.
  VmAddress blob_of(VmAddress pc) const;

 private:
  const VmLayout& layout_;
  const UnprovenMemory& memory_;
};

}  // namespace ddm
