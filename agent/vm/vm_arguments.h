// The arguments that the VM was started with.
#pragma once

#include <string>
#include <vector>

namespace ddm {

// The VM's own arguments from all sources (command line, JAVA_TOOL_OPTIONS, @files), as in `jcmd
// PID VM.command_line`. Empty if not available. Any thread.
std::vector<std::string> vm_arguments();

}  // namespace ddm
