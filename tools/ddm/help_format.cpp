#include "help_format.h"

#include "output.h"

namespace ddm {
namespace {

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kIndent = 20;

std::string entry(const std::string& name, const std::string& meaning) {
  std::string out = "  " + name;
  if (out.size() + 2 > kIndent) {
    out += '\n';
    out.append(kIndent, ' ');
  } else {
    out.append(kIndent - out.size(), ' ');
  }
  return out + wrapped(meaning, kIndent, kHelpWidth) + "\n";
}

}  // namespace

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  const bool has_value = option->get_type_size() != 0;
  const std::string type = option->get_type_name();  // "WHAT:{its,values}"
  if (has_value && !is_positional) name += " " + type.substr(0, type.find(':'));
  std::string meaning = make_option_desc(option);
  if (!option->get_default_str().empty())
    meaning += " (default: " + option->get_default_str() + ")";
  return entry(name, meaning);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

}  // namespace ddm
