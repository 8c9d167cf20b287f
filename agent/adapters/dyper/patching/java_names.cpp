#include "adapters/dyper/patching/java_names.h"

#include <fmt/format.h>

#include <vector>

#include "bci/descriptor.h"
#include "bci/patch/patch_site.h"
#include "core/class_names.h"

namespace ddm {
namespace {

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
  std::string dimensions;
  for (; type.ends_with("[]"); type = without_blanks(type.substr(0, type.size() - 2))) {
    dimensions += "[]";
  }
  if (dimensions.size() / 2 > 255 || !is_class_name(type)) return {};
  if (type == "void" && (!may_be_void || !dimensions.empty())) return {};
  return descriptor_of(std::string(type) + dimensions);
}

}  // namespace

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
  std::vector<std::string> types;
  if (const auto parsed = bci::MethodDescriptor::parse(descriptor)) {
    for (const std::string_view type : parsed->argument_types()) {
      types.push_back(type_name_of(type));
    }
  }
  return fmt::format("({})", fmt::join(types, ","));
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
