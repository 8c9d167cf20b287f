// Converts JVMTI thread state bits to the protocol's states, for all threads at once.
#pragma once

#include <jvmti.h>

#include <vector>

#include "wire/chunks/thread_chunks.h"

namespace ddm {

// In Dalvik's numbers, which DDM servers have names for.
ThreadState thread_state(jint jvmti_state);

// In the states of 2007: a timed wait is a wait, only Thread.sleep() is sleeping, and suspension is
// a separate field.
ThreadStatusList::Entry thread_status(std::uint32_t id, jint jvmti_state);

// All live platform threads in one safepoint: on 25 asking for each one alone takes 40 microseconds
// per thread. Local references, and a state for each in `states`; empty if the VM refuses. The caller
// has pushed a local frame.
std::vector<jthread> threads_with_states(jvmtiEnv* jvmti, JNIEnv* jni, std::vector<jint>& states);

}  // namespace ddm
