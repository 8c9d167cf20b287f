#include "ddm/type_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ddm {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 9> kPrimitives{{{'Z', "boolean"},
                                                                        {'B', "byte"},
                                                                        {'C', "char"},
                                                                        {'S', "short"},
                                                                        {'I', "int"},
                                                                        {'J', "long"},
                                                                        {'F', "float"},
                                                                        {'D', "double"},
                                                                        {'V', "void"}}};

}  // namespace

std::string descriptor_of(std::string_view type_name) {
  std::string result;
  while (type_name.ends_with("[]")) {
    result += '[';
    type_name.remove_suffix(2);
  }
  for (const auto& [letter, name] : kPrimitives) {
    if (type_name == name) return result + letter;
  }
  result += 'L';
  const std::size_t begin = result.size();
  result += type_name;
  std::replace(result.begin() + static_cast<std::ptrdiff_t>(begin), result.end(), '.', '/');
  return result + ';';
}

std::string type_name_of_descriptor(std::string_view descriptor) {
  std::string_view element = descriptor;
  std::string brackets;
  while (element.starts_with('[')) {
    element.remove_prefix(1);
    brackets += "[]";
  }
  if (element.size() == 1) {
    for (const auto& [letter, name] : kPrimitives) {
      if (element[0] == letter) return std::string(name) + brackets;
    }
  }
  if (element.size() < 3 || element.front() != 'L' || element.back() != ';') {
    return std::string(descriptor);
  }
  std::string name(element.substr(1, element.size() - 2));
  std::replace(name.begin(), name.end(), '/', '.');
  return name + brackets;
}

}  // namespace ddm
