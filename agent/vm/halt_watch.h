// Detects that the program halts the VM, before the VM does anything for it: features then end the
// events that any thread may get at any time.
//
// From JDK 26 on the VM waits at its end for callbacks that have not returned (JDK-8355631), and
// before JDK-8387045 was fixed it did so without stopping for safepoints: a callback that needed
// one, because a collection began just then, held up the program's end for a minute.
//
// Shutdown.halt0() is called at most once in a process, directly before that, by System.exit(),
// Runtime.halt() and signals; the VM posts an event when it binds the method. The end of a program
// whose last thread returns is not seen.
#pragma once

#include <jvmti.h>

#include <functional>

namespace ddm {

// Call once, in the live phase, with the environment of vm_events.h. halting() is called on the
// thread that halts the VM, in native code: safepoints do not wait for it. On failure, which is
// logged, nothing is watched.
void watch_halt(jvmtiEnv* jvmti, JNIEnv* jni, std::function<void()> halting);

}  // namespace ddm
