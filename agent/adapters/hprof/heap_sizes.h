// What objects take in this VM's heap: arrays by a few small ones that are made, instances by a
// walk over those that are there. Any attached thread; the program stands still for the walk.
#pragma once

#include <jvmti.h>

#include "report/hprof/hprof_heap_text.h"

namespace ddm {

HprofHeapSizes measure_heap_sizes(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
