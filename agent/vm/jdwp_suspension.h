// Keeps a debugger from suspending the agent's own threads.
//
// The jdwp agent suspends all threads that the VM lists and offers no way to exclude one. It
// assumes that a thread is alive until its ThreadEnd event: hiding a thread (by clearing
// Thread.eetop, say) while jdwp iterates over its list ends the VM with "missing entry in thread
// tables". Therefore SuspendThread, SuspendThreadList, ResumeThread and ResumeThreadList are
// replaced in the JVMTI function table: called by the jdwp library they return success without
// effect for an agent thread, and call the VM for all others. Calls by other libraries are
// forwarded unchanged.
#pragma once

#include <jvmti.h>

namespace ddm::jdwp_suspension {

// Does nothing unless the jdwp library is loaded. Live phase, once, before the agent's threads are
// started. False: the table could not be changed, and a debugger suspends the agent's threads like
// others.
bool exempt_own_threads(jvmtiEnv* jvmti, JNIEnv* jni);

// Call when the agent is unloaded: restores the VM's functions.
void restore();

}  // namespace ddm::jdwp_suspension
