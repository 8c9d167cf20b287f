// The heap by JVMTI's iteration, for collectors whose regions are not readable: kinds and sizes are
// real, positions are synthetic (all objects in a row, then the free memory).
#pragma once

#include <jvmti.h>

#include "core/result.h"
#include "heap/walk/heap_map.h"

namespace ddm {

// An attached thread; `jvmti` has can_tag_objects, and nobody else uses its tags. The program is
// stopped meanwhile.
Result<HeapMap> iterate_heap(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
