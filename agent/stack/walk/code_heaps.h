// Program counter -> the code blob that it lies in. Reads the VM's segment map; no lock, any thread.
#pragma once

#include "stack/walk/vm_memory.h"

namespace ddm {

class CodeHeaps {
 public:
  CodeHeaps(const VmLayout& layout, const UnprovenMemory& memory)
      : layout_(layout), memory_(memory) {}

  // The begin of the CodeBlob, or 0. Good for as long as something keeps the blob alive: a frame
  // of the calling thread that stands in it does.
  VmAddress blob_of(VmAddress pc) const;

 private:
  const VmLayout& layout_;
  const UnprovenMemory& memory_;
};

}  // namespace ddm
