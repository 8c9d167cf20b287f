// The command line of `ddm`: chooses a command, reads its arguments, runs it.
#pragma once

namespace ddm {

// Returns an exit code of command.h.
int run_command_line(int argc, char** argv);

}  // namespace ddm
