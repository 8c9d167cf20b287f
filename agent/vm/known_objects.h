// Compares the layouts that the VM's tables claim with objects that are made for it, whose class and
// size JVMTI tells.
//
// Attached threads, in the live phase. Nothing is read that could fault.
#pragma once

#include <jvmti.h>

#include <string>

#include "vm/gc_pauses.h"
#include "vm/memory/object_layout.h"

namespace ddm {

// "" or the first entry that is wrong. Objects that move while they are read are looked at again;
// `pauses`, if not null, tells for certain that they did not move.
std::string wrong_in_layout(jvmtiEnv* jvmti, JNIEnv* jni, const ObjectLayout& objects,
                            const KlassLayout& klasses, const GcPauses* pauses);

}  // namespace ddm
