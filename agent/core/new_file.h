// Files that a server asks for on the VM's side. Any thread.
#pragma once

#include <string>

namespace ddm {

std::string directory_of(const std::string& path);

// Why this file is not created for a server, which may belong to another user: it can have a file
// created, but none overwritten. "": nothing is in the way.
std::string new_file_obstacle(const std::string& path);

}  // namespace ddm
