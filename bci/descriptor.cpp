#include "bci/descriptor.h"

namespace bci {

std::optional<std::string_view> take_type(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] == '[') ++end;
  if (end == rest.size()) return std::nullopt;
  if (rest[end] == 'L') {
    end = rest.find(';', end);
    if (end == std::string_view::npos) return std::nullopt;
  } else if (std::string_view("BCDFIJSZ").find(rest[end]) == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view type = rest.substr(0, end + 1);
  rest.remove_prefix(end + 1);
  return type;
}

std::size_t slots_of(std::string_view type) {
  if (type == "J" || type == "D") return 2;
  return type == "V" ? 0 : 1;
}

ValueKind kind_of(std::string_view type) {
  switch (type[0]) {
    case 'J':
      return ValueKind::kLong;
    case 'F':
      return ValueKind::kFloat;
    case 'D':
      return ValueKind::kDouble;
    case 'L':
    case '[':
      return ValueKind::kReference;
    default:
      return ValueKind::kInt;
  }
}

std::string descriptor_of(std::string_view class_name) {
  if (class_name.starts_with('[')) return std::string(class_name);
  return "L" + std::string(class_name) + ";";
}

std::string_view class_name_of(std::string_view type) {
  return type.starts_with('L') ? type.substr(1, type.size() - 2) : type;
}

std::vector<std::string_view> MethodDescriptor::argument_types() const {
  std::vector<std::string_view> types;
  for (std::string_view rest = arguments; !rest.empty();) types.push_back(*take_type(rest));
  return types;
}

std::optional<MethodDescriptor> MethodDescriptor::parse(std::string_view descriptor) {
  MethodDescriptor parsed;
  const std::size_t close = descriptor.find(')');
  if (close == std::string_view::npos || descriptor[0] != '(') return std::nullopt;
  parsed.arguments = descriptor.substr(1, close - 1);
  parsed.result = descriptor.substr(close + 1);
  for (std::string_view rest = parsed.arguments; !rest.empty();) {
    const auto type = take_type(rest);
    if (!type) return std::nullopt;
    parsed.argument_slots += slots_of(*type);
  }
  std::string_view result = parsed.result;
  if (result != "V" && (!take_type(result) || !result.empty())) return std::nullopt;
  return parsed;
}

}  // namespace bci
