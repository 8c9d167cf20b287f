// What threads are doing: JVMTI's state bits in the protocol's words, for all threads at once.
#pragma once

#include <jvmti.h>

#include <vector>

#include "wire/chunks/thread_chunks.h"

namespace ddm {

// As DDM servers label them (Dalvik's numbers).
ThreadState thread_state(jint jvmti_state);

// In the words of 2007, where waiting with a time limit is waiting, sleeping is Thread.sleep()
// alone, and suspension is said beside the state.
ThreadStatusList::Entry thread_status(std::uint32_t id, jint jvmti_state);

struct ThreadWithState {
  jthread thread;  // local reference
  jint state;
};

// All live platform threads, in one stop of the program: on 25 asking each one alone takes 40
// microseconds a thread. Empty when the VM refuses. The caller has pushed a local frame.
std::vector<ThreadWithState> threads_with_states(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace ddm
