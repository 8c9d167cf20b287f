// Command lines to begin with, for the help of each command and the manual page. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace ddm {

// Whole command lines, the most useful first; none: there is no such command. 4711 stands for the pid
// of a program.
std::vector<std::string_view> examples_of(std::string_view command);

}  // namespace ddm
