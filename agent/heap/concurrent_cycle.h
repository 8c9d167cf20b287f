// A collection of the old generation for which the program does not stand still.
//
// G1's marking cycle runs beside the program; its remark, a pause of tens of milliseconds, clears the
// weak handles of what was dead when the cycle began. A program cannot ask for one, but for idle
// programs G1 begins one by itself every G1PeriodicGCInterval ms (JEP 346), and that flag may be
// written while the VM runs.
#pragma once

#include <jni.h>

#include <functional>

namespace ddm {

// Waits until a cycle has marked that began after the call. Young collections come at the same time
// as often as the program makes them, and one or two more. False: the collector is not G1, the VM
// does not count its cycles (-XX:-UsePerfData), was told of an interval above 5 s or of full collections
// (-XX:-G1PeriodicGCInvokesConcurrent), no cycle went on for a minute, or `ends` was true. The flag
// has its old value again in any case. Attached threads, one at a time.
bool run_concurrent_cycle(JNIEnv* jni, const std::function<bool()>& ends);

}  // namespace ddm
