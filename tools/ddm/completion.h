// Shell completion of `ddm`'s command lines, generated from the declarations that its help uses.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "option_values.h"

namespace ddm {

// "-o", "--out": empty for a positional argument.
std::vector<std::string> names_of(const CLI::Option& option);
// What it means, and its default.
std::string meaning_of(const CLI::Option& option);

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace ddm
