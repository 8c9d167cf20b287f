// Ctrl-C and SIGTERM end a command's wait, so that it still writes its results and restores the
// target; a second signal of either kind ends the command.
#pragma once

namespace ddm {

void catch_interrupts();
bool interrupted();

}  // namespace ddm
