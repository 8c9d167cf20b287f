// The moment of a dump as hprof's MONITOR DUMP tells it: every platform thread with its state and
// stack, and the monitors that one of them holds or waits for.
//
// Attached threads; threads stop one after the other for it, some microseconds each.
#pragma once

#include <jvmti.h>

#include <string>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "stack/stack_naming.h"

namespace ddm {

// At load alone: without them a dump shows the threads, and the monitors that they wait for as far
// as the VM tells.
void take_monitor_capabilities(jvmtiEnv* jvmti);

// "MONITOR DUMP BEGIN" to "MONITOR DUMP END", and before it the stacks that are new.
std::string hprof_monitor_dump(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming,
                               const HprofView& view, HprofNumbers& numbers);

}  // namespace ddm
