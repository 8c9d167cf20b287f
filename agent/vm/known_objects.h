// Verifies the layouts that the VM's tables claim on objects created for it, whose class and size are
// known from JVMTI.
//
// Attached threads, in the live phase. No read can fault.
#pragma once

#include <jvmti.h>

#include <string>

#include "vm/memory/heap_pauses.h"
#include "vm/memory/object_layout.h"

namespace ddm {

// "" or the first wrong entry. Objects that move while they are read are read again; `pauses`, if not
// null, shows reliably that they did not move.
std::string wrong_in_layout(jvmtiEnv* jvmti, JNIEnv* jni, const ObjectLayout& objects,
                            const KlassLayout& klasses, const HeapPauses* pauses);

}  // namespace ddm
