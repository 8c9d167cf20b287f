// Object sizes in this VM's heap: from the VM's flags, array headers from a few small arrays that
// are allocated, instance sizes from a heap walk. Any attached thread; the program is stopped
// during the walk.
#pragma once

#include <jvmti.h>

#include "report/hprof/hprof_heap_text.h"

namespace ddm {

HprofHeapSizes measure_heap_sizes(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
