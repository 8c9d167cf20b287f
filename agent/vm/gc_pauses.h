// Watches the VM's GC pauses, for collectors that move objects in pauses only (Serial, Parallel,
// G1). The events belong to a JVMTI environment of their own, so no other component can disable
// them.
#pragma once

#include <jvmti.h>

#include "vm/memory/heap_pauses.h"

namespace ddm {

// Whether this VM's collector is one of them.
bool moves_in_pauses_only();

// Call once, in the live phase. Null: another collector, or the VM refuses the events. Never freed:
// a VM thread may be in a callback at any time.
HeapPauses* watch_gc_pauses(JavaVM* vm);

}  // namespace ddm
