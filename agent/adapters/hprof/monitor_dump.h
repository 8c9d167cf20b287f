// hprof's MONITOR DUMP: every platform thread with its state and stack, and the monitors that they
// hold or wait for.
//
// Attached threads; each thread of the program is stopped in turn, for some microseconds.
#pragma once

#include <jvmti.h>

#include <string>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "stack/stack_naming.h"

namespace ddm {

// The capabilities, to be requested at load. Without them a dump shows the threads, and the
// monitors that they wait for as far as the VM reports them.
void add_monitor_capabilities(jvmtiEnv* jvmti);

// "MONITOR DUMP BEGIN" to "MONITOR DUMP END", preceded by the stacks that are new.
std::string hprof_monitor_dump(jvmtiEnv* jvmti, JNIEnv* jni, const StackNaming& naming,
                               const HprofView& view, HprofNumbers& numbers);

}  // namespace ddm
