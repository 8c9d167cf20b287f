// All threads at one moment with their stacks, the monitors that they own and what they wait for:
// the data of java.lang.management.ThreadMXBean.dumpAllThreads(true, false), from the VM's
// management interface. JVMTI reports owned monitors only if the capability was requested at VM
// start-up, where it makes the compiler eliminate fewer locks.
#pragma once

#include <jvmti.h>

#include "core/result.h"
#include "wire/chunks/thread_locks.h"

namespace ddm {

// Attached threads. The VM stops the program once. The error: this VM has no java.management, or
// one of another version.
Result<ThreadLocks> dump_locks(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
