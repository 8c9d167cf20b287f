// Patterns of class and method names, in which '*' matches any characters, none included.
#pragma once

#include <string_view>

namespace bci {

bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace bci
