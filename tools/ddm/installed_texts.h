// What is installed beside the command, made of the same declarations as its help: the manual page
// and what completes command lines in shells. Pure.
#pragma once

#include <string>
#include <string_view>

#include "option_values.h"

namespace ddm {

// What it means, and its default, or that it is required.
std::string meaning_of(const CLI::Option& option);

std::string manual_page(const CLI::App& app, std::string_view version);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace ddm
