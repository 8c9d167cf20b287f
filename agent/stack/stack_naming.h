// What whoever takes stacks of their own needs, so that they read in reports as all others do.
#pragma once

#include <iterator>

#include "core/reclamation.h"
#include "stack/names/name_table.h"
#include "stack/stack_capture.h"

namespace ddm {

struct StackNaming {
  NameTable& names;
  FrameNames& frames;        // whoever asks is in a Reading
  Reclamation& reclamation;  // of what `frames` hands out
  StackCapture& stacks;      // of the calling thread

  // Of any thread, as JVMTI takes it: where it can stop. Whoever asks is in a Reading.
  jvmtiError stack_of(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, ShownStack& stack) const {
    jvmtiFrameInfo raw[kMaxTreeDepth + 16];  // some are not shown
    jint count = 0;
    const jvmtiError error =
        jvmti->GetStackTrace(thread, 0, static_cast<jint>(std::size(raw)), raw, &count);
    if (error != JVMTI_ERROR_NONE) return error;
    for (jint i = 0; i < count; ++i) {
      if (!stack.add(frames.shown(jni, {raw[i].method, raw[i].location}, nullptr))) break;
    }
    return JVMTI_ERROR_NONE;
  }
};

}  // namespace ddm
