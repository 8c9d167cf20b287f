// All threads of one moment with their stacks, the monitors that they hold and what they wait for: what
// java.lang.management.ThreadMXBean.dumpAllThreads(true, false) gives, from the VM's management
// interface. JVMTI tells of monitors that are held only where that was asked for at the VM's start,
// and then the compiler removes fewer of them.
#pragma once

#include <jni.h>

#include "core/result.h"
#include "wire/chunks/thread_locks.h"

namespace ddm {

// Attached threads. The program stands still once while the VM looks. The error: this VM has no
// java.management, or another one.
Result<ThreadLocks> dump_locks(JNIEnv* jni);

}  // namespace ddm
