// How the VM was started.
#pragma once

#include <string>
#include <vector>

namespace ddm {

// The VM's own arguments, wherever they were given (command line, JAVA_TOOL_OPTIONS, @files), as
// `jcmd PID VM.command_line` shows them. Empty when this VM does not tell. Any thread.
std::vector<std::string> vm_arguments();

}  // namespace ddm
