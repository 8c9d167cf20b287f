// Ctrl-C and SIGTERM end what a command waits for, so that it still writes what it has and leaves the
// target as it was; a second one ends the command.
#pragma once

namespace ddm {

void catch_interrupts();
bool interrupted();

}  // namespace ddm
