// The names of the options in an option string.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

struct GivenOptions {
  std::vector<std::string> names;  // in the order of the string
  bool lent = false;               // to a server, for as long as it is connected

  bool has(std::string_view option) const {
    return std::ranges::find(names, option) != names.end();
  }
  friend bool operator==(const GivenOptions&, const GivenOptions&) = default;
};

}  // namespace ddm
