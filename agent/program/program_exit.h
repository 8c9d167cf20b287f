// Ends the program on a server's EXIT request.
//
// Uses threads of its own: System.exit() re-enters the agent (VMDeath), which stops all its other
// threads. Shutdown hooks run, as the protocol requires; a program whose hooks do not end is
// halted.
#pragma once

#include <jni.h>

namespace ddm {

// Returns at once; failures are logged. Any thread.
void exit_program(JavaVM* vm, jint status);

}  // namespace ddm
