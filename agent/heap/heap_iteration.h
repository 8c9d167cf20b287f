// The heap as JVMTI lists it, for collectors whose regions we do not read: kinds and sizes are
// true, positions are made up (one object after the other, then what is free).
#pragma once

#include <jvmti.h>

#include "core/result.h"
#include "heap/walk/heap_map.h"

namespace ddm {

// An attached thread; `jvmti` has can_tag_objects, and tags that nobody else uses. The program
// stands still meanwhile.
Result<HeapMap> iterate_heap(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
