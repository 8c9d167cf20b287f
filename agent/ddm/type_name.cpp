#include "ddm/type_name.h"

#include <array>
#include <utility>

namespace ddm {
namespace {

// The name of a hidden class has a slash before its suffix, its descriptor a dot; elsewhere it is
// the other way round.
void swap_dots_and_slashes(std::string& text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '.') {
      text[i] = '/';
    } else if (text[i] == '/') {
      text[i] = '.';
    }
  }
}

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
  swap_dots_and_slashes(result, begin);
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
  swap_dots_and_slashes(name, 0);
  return name + brackets;
}

}  // namespace ddm
