// Program counter -> the code blob that it lies in. Reads the VM's segment map; no lock, any thread.
#pragma once

#include "stack/walk/vm_memory.h"

namespace ddm {

class CodeHeaps {
 public:
  explicit CodeHeaps(const VmLayout& layout) : layout_(layout) {}

  // The begin of the CodeBlob, or 0. Good for as long as something keeps the blob alive: a frame
  // of the calling thread that stands in it does.
  VmAddress blob_of(VmAddress pc) const;

 private:
  const VmLayout& layout_;
};

}  // namespace ddm
