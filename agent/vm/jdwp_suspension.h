// Keeps a debugger from stopping the agent's own threads.
//
// The jdwp agent suspends all threads that the VM lists, and gives no way to leave one out. It takes
// for granted that a thread is alive until it has been told of its end: hiding a thread from it (by
// clearing Thread.eetop, say) while it goes through its list ends the VM with "missing entry in thread
// tables". So its calls of SuspendThread, SuspendThreadList, ResumeThread and ResumeThreadList in the
// function table of JVMTI are answered here: for a thread of ours with success and without effect, for
// all others by the VM. Calls by anybody else than the jdwp agent's library go to the VM as they are.
#pragma once

#include <jvmti.h>

namespace ddm::jdwp_suspension {

// Where the library of the jdwp agent is loaded; else nothing happens. Live phase, once, before the
// agent's threads are started. False: the table could not be changed, and the threads are held like others.
bool exempt_own_threads(jvmtiEnv* jvmti, JNIEnv* jni);

// The agent is unloaded: puts the VM's functions back.
void restore();

}  // namespace ddm::jdwp_suspension
