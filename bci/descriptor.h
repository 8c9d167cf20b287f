// Field and method descriptors (JVMS 4.3): "(IJ[Ljava/lang/String;)V".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bci {

// Removes the first field descriptor from `rest`: "IJ" gives "I" and leaves "J". nullopt if there
// is none ("V" is not one).
std::optional<std::string_view> take_type(std::string_view& rest);

// Stack slots of a field descriptor: 2 for J and D, 0 for "V", else 1.
std::size_t slots_of(std::string_view type);

// Type categories of instructions, in the order of iload, lload, fload, dload, aload.
enum class ValueKind : std::uint8_t { kInt, kLong, kFloat, kDouble, kReference };
ValueKind kind_of(std::string_view type);  // of a field descriptor
inline std::size_t slots_of(ValueKind kind) {
  return kind == ValueKind::kLong || kind == ValueKind::kDouble ? 2 : 1;
}

// "Ljava/lang/String;" for "java/lang/String"; an array's class name already is its descriptor.
std::string descriptor_of(std::string_view class_name);
// The inverse: the name in a Class constant.
std::string_view class_name_of(std::string_view type);

struct MethodDescriptor {
  std::string_view arguments;  // "IJ[Ljava/lang/String;", each takable with take_type
  std::string_view result;     // "V" or a field descriptor
  std::size_t argument_slots = 0;

  bool returns_reference() const { return result[0] == 'L' || result[0] == '['; }

  std::vector<std::string_view> argument_types() const;

  static std::optional<MethodDescriptor> parse(std::string_view descriptor);
};

}  // namespace bci
