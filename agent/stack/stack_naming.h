// Shared services for features that take stacks themselves, so that they appear like all others in
// reports.
#pragma once

#include <iterator>

#include "core/reclamation.h"
#include "stack/names/name_table.h"
#include "stack/seen_methods.h"
#include "stack/stack_capture.h"
#include "vm/id_creation.h"

namespace ddm {

struct StackNaming {
  NameTable& names;
  SeenMethods& frames;       // callers are inside a Reading
  Reclamation& reclamation;  // protects what `frames` returns
  StackCapture& stacks;      // for the calling thread

  // The stack of any thread by JVMTI, at a safepoint poll. Call inside a Reading.
  jvmtiError stack_of(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, ShownStack& stack) const {
    jvmtiFrameInfo raw[kMaxTreeDepth + 16];  // some are not shown
    jint count = 0;
    jvmtiError error = JVMTI_ERROR_NONE;
    {
      const auto turn = id_creation::turn(jvmti);
      error = jvmti->GetStackTrace(thread, 0, static_cast<jint>(std::size(raw)), raw, &count);
    }
    if (error != JVMTI_ERROR_NONE) return error;
    for (jint i = 0; i < count; ++i) {
      if (!stack.add(frames.shown(jni, {raw[i].method, raw[i].location}, nullptr))) break;
    }
    return JVMTI_ERROR_NONE;
  }
};

}  // namespace ddm
