// Field and method descriptors (JVMS 4.3): "(IJ[Ljava/lang/String;)V".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bci {

// Takes the first field descriptor off the front of `rest`: "IJ" gives "I" and leaves "J".
// Nothing if there is none ("V" is not one).
std::optional<std::string_view> take_type(std::string_view& rest);

// Stack slots of a field descriptor: 2 for J and D, 0 for "V", else 1.
std::size_t slots_of(std::string_view type);

struct MethodDescriptor {
  std::string_view arguments;  // "IJ[Ljava/lang/String;", each takable with take_type
  std::string_view result;     // "V" or a field descriptor
  std::size_t argument_slots = 0;

  bool returns_reference() const { return result[0] == 'L' || result[0] == '['; }

  static std::optional<MethodDescriptor> parse(std::string_view descriptor);
};

}  // namespace bci
