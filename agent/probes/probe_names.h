// Keys that identify a method, and the kinds of its return value and arguments.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

inline std::string full_name(std::string_view class_name, std::string_view method,
                             std::string_view descriptor) {
  return std::string(class_name) + ' ' + std::string(method) + std::string(descriptor);
}

// The first letters of the descriptors of the return value, then of each argument.
inline std::string kinds_of(std::string_view descriptor) {
  std::string kinds(1, descriptor[descriptor.rfind(')') + 1]);
  for (std::size_t at = 1; at < descriptor.size() && descriptor[at] != ')'; ++at) {
    kinds += descriptor[at];
    while (descriptor[at] == '[') ++at;
    if (descriptor[at] == 'L') at = descriptor.find(';', at);
  }
  return kinds;
}

}  // namespace ddm
