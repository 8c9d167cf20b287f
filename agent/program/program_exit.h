// Ends the program for a server: EXIT.
//
// On threads of its own: System.exit() comes back into the agent (VMDeath), which stops all its
// other threads. Shutdown hooks run, as the protocol asks for; a program whose hooks never end is
// halted.
#pragma once

#include <jni.h>

namespace ddm {

// Returns at once. What goes wrong is a line in the log. Any thread.
void exit_program(JavaVM* vm, jint status);

}  // namespace ddm
