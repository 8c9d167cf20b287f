// A concurrent collection of the old generation.
//
// G1's marking cycle runs concurrently; its remark pause, of tens of milliseconds, clears the
// weak handles of objects that were dead when the cycle began. No interface requests a cycle, but G1
// starts one in an idle program every G1PeriodicGCInterval ms (JEP 346), and that flag is writable.
#pragma once

#include <jni.h>

#include <functional>

namespace ddm {

// Waits until a cycle that began after the call has finished marking; causes one or two young
// collections besides. False: the collector is not G1, the VM does not count its cycles
// (-XX:-UsePerfData), the program sets an interval above 5 s or full collections
// (-XX:-G1PeriodicGCInvokesConcurrent), no cycle made progress for a minute, or `ends` was true. The
// flag is restored in any case. Attached threads, one at a time.
bool run_concurrent_cycle(JNIEnv* jni, const std::function<bool()>& ends);

}  // namespace ddm
