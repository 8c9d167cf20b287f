#include "core/class_names.h"

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

constexpr std::size_t kMaxDimensions = 255;  // JVMS 4.4.1

// In the name of a hidden class a slash precedes the suffix, in its descriptor a dot; everywhere
// else slash and dot are the other way round.
void swap_dots_and_slashes(std::string& text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '.') {
      text[i] = '/';
    } else if (text[i] == '/') {
      text[i] = '.';
    }
  }
}

constexpr std::pair<char, std::string_view> kPrimitives[] = {
    {'Z', "boolean"}, {'B', "byte"},  {'C', "char"},   {'S', "short"}, {'I', "int"},
    {'J', "long"},    {'F', "float"}, {'D', "double"}, {'V', "void"}};

}  // namespace

std::string type_name_of(std::string_view signature) {
  const std::size_t dimensions = std::min(signature.find_first_not_of('['), signature.size());
  const std::string_view element = signature.substr(dimensions);
  std::string name;
  if (element.size() == 1) {
    for (const auto& [letter, primitive] : kPrimitives) {
      if (element[0] == letter) name = primitive;
    }
    if (element[0] == 'V' && dimensions > 0) name.clear();
  } else if (element.size() > 2 && element.front() == 'L' &&
             element.find(';') == element.size() - 1) {
    name = element.substr(1, element.size() - 2);
    swap_dots_and_slashes(name, 0);
  }
  if (name.empty() || dimensions > kMaxDimensions) return std::string(signature);
  for (std::size_t i = 0; i < dimensions; ++i) name += "[]";
  return name;
}

std::string_view internal_name_of(std::string_view signature) {
  return signature.size() > 2 ? signature.substr(1, signature.size() - 2) : signature;
}

std::string dotted_name(std::string_view internal_name) {
  std::string name(internal_name);
  std::ranges::replace(name, '/', '.');
  return name;
}

std::string internal_name(std::string_view dotted_name) {
  std::string name(dotted_name);
  std::ranges::replace(name, '.', '/');
  return name;
}

std::string type_name_in_dump(std::string_view name) {
  std::string shown = name.starts_with('[') ? type_name_of(name) : dotted_name(name);
  const std::size_t plus = shown.rfind("+0x");
  if (plus != shown.npos && shown.find_first_not_of("0123456789abcdef[]", plus + 3) == shown.npos) {
    shown[plus] = '/';
  }
  return shown;
}

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

std::string class_object_name(std::string_view type_name) {
  return std::string(kClassObject).append(" for ").append(type_name);
}

std::string simple_parameters(std::string_view descriptor) {
  std::string text = "(";
  std::string_view rest = descriptor.substr(0, descriptor.find(')'));
  if (!rest.empty()) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::size_t element = std::min(rest.find_first_not_of('['), rest.size() - 1);
    const std::size_t end = rest[element] == 'L' ? rest.find(';', element) : element;
    const std::string name = type_name_of(rest.substr(0, end == rest.npos ? end : end + 1));
    if (text.size() > 1) text += ',';
    text += std::string_view(name).substr(name.rfind('.') + 1);
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
  }
  return text + ')';
}

std::string meant_pattern(std::string_view pattern) {
  const std::string_view name = pattern.substr(0, pattern.find('('));
  if (name.empty() || name.find(',') != std::string_view::npos) return "";
  const auto is_capital = [&](std::size_t at) {
    return at < name.size() && name[at] >= 'A' && name[at] <= 'Z';
  };
  std::string meant(pattern);
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    const std::size_t before = dot == 0 ? std::string_view::npos : name.rfind('.', dot - 1);
    if (is_capital(before == std::string_view::npos ? 0 : before + 1) && is_capital(dot + 1)) {
      meant[dot] = '$';
    }
  }
  const bool whole = name.find('*') != std::string_view::npos ||
                     (name.find('.') != std::string_view::npos && !is_capital(0));
  if (!whole) meant = "*." + meant;
  return meant == pattern ? "" : "did you mean " + meant + "?";
}

std::string with_meant_pattern(std::string text, std::string_view pattern) {
  const std::string meant = meant_pattern(pattern);
  return meant.empty() ? text : text + "; " + meant;
}

}  // namespace ddm
