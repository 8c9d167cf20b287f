// What a device says to `adb shell`. There is no shell: nothing that adb sends is ever executed.
// Pure functions, but for the properties, which name this machine.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddm {

struct ShellAnswer {
  std::string text;
  int exit_code = 0;
};

// The properties of the device, in the order of getprop.
std::vector<std::pair<std::string, std::string>> device_properties();

// getprop and getprop NAME; 127 for anything else.
ShellAnswer answer_shell(std::string_view command);

// The same as the packets of shell,v2: { u1 stream, u4 little-endian length, bytes }, stream 1
// being stdout, and 3 the exit code.
std::string as_shell_v2(const ShellAnswer& answer);

}  // namespace ddm
