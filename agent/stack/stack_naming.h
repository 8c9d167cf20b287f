// What whoever takes stacks of their own needs, so that they read in reports as all others do.
#pragma once

#include "records/name_table.h"
#include "records/reclamation.h"
#include "stack/stack_capture.h"

namespace ddm {

struct StackNaming {
  NameTable& names;
  FrameNames& frames;        // whoever asks is in a Reading
  Reclamation& reclamation;  // of what `frames` hands out
  StackCapture& stacks;      // of the calling thread
};

}  // namespace ddm
