#include "adapters/dyper/patching/java_names.h"

#include <algorithm>

#include "bci/descriptor.h"
#include "bci/patch/patch_site.h"
#include "core/class_names.h"

namespace ddm {
namespace {

struct Primitive {
  std::string_view name;
  char letter;
};
constexpr Primitive kPrimitives[] = {{"boolean", 'Z'}, {"byte", 'B'},   {"char", 'C'},
                                     {"short", 'S'},   {"int", 'I'},    {"long", 'J'},
                                     {"float", 'F'},   {"double", 'D'}, {"void", 'V'}};

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_class_name(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && !name.ends_with('.') &&
         name.find_first_of("()[]<>,;/ \t\n'\"") == std::string_view::npos &&
         name.find("..") == std::string_view::npos;
}

std::optional<std::string> type_descriptor(std::string_view type, bool may_be_void) {
  type = without_blanks(type);
  std::string result;
  for (; type.ends_with("[]"); type = without_blanks(type.substr(0, type.size() - 2))) {
    result += '[';
  }
  if (result.size() > 255) return {};
  for (const Primitive& one : kPrimitives) {
    if (type != one.name) continue;
    if (one.letter == 'V' && (!may_be_void || !result.empty())) return {};
    return result + one.letter;
  }
  if (!is_class_name(type)) return {};
  return result + 'L' + internal_name(type) + ';';
}

}  // namespace

std::string internal_name(std::string_view dotted) {
  std::string name(dotted);
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

std::optional<std::string> method_descriptor_of(std::string_view signature) {
  signature = without_blanks(signature);
  const std::size_t close = signature.find(')');
  if (!signature.starts_with('(') || close == std::string_view::npos) return {};
  std::string_view types = without_blanks(signature.substr(1, close - 1));
  std::string result = "(";
  while (!types.empty()) {
    const std::size_t comma = types.find(',');
    const auto type = type_descriptor(types.substr(0, comma), /*may_be_void=*/false);
    if (!type) return {};
    result += *type;
    if (comma == std::string_view::npos) break;
    types.remove_prefix(comma + 1);
    if (without_blanks(types).empty()) return {};
  }
  const std::string_view back = without_blanks(signature.substr(close + 1));
  const auto returned = type_descriptor(back.empty() ? "void" : back, /*may_be_void=*/true);
  if (!returned) return {};
  return result + ')' + *returned;
}

std::string signature_of(std::string_view descriptor) {
  std::string result = "(";
  std::size_t at = 1;
  while (at < descriptor.size() && descriptor[at] != ')') {
    if (result.size() > 1) result += ',';
    std::size_t dimensions = 0;
    for (; at < descriptor.size() && descriptor[at] == '['; ++at) ++dimensions;
    if (at >= descriptor.size()) break;
    if (descriptor[at] == 'L') {
      const std::size_t end = std::min(descriptor.find(';', at), descriptor.size() - 1);
      result += dotted_name(descriptor.substr(at + 1, end - at - 1));
      at = end + 1;
    } else {
      for (const Primitive& one : kPrimitives) {
        if (one.letter == descriptor[at]) result += one.name;
      }
      ++at;
    }
    for (; dimensions > 0; --dimensions) result += "[]";
  }
  return result + ')';
}

std::optional<MethodChoice> method_choice(std::string_view given) {
  const std::size_t open = given.find('(');
  MethodChoice choice{std::string(without_blanks(given.substr(0, open))), ""};
  if (choice.name.empty()) choice.name = "*";
  if (open == std::string_view::npos) return choice;
  const std::string_view types = without_blanks(given.substr(open));
  if (bci::MethodDescriptor::parse(types)) {
    choice.descriptor = types;
    return choice;
  }
  const auto descriptor = method_descriptor_of(types);
  if (!descriptor) return {};
  choice.descriptor = *descriptor;
  if (types.ends_with(')')) choice.descriptor.back() = '*';  // without a type it was parsed as void
  return choice;
}

std::string allocated_type(std::string_view given) {
  const auto descriptor = type_descriptor(given, /*may_be_void=*/false);
  return descriptor ? std::string(bci::innermost_element(*descriptor)) : internal_name(given);
}

MemberName member_name(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(dotted)};
  return {internal_name(dotted.substr(0, dot)), std::string(dotted.substr(dot + 1))};
}

}  // namespace ddm
