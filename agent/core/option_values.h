// Parses the value of one option; errors are sentences. Pure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "core/whole_text.h"

namespace ddm {

using Wrong = std::string;  // what is wrong with a value; "" = nothing

inline Wrong not_one_of(std::string_view value, std::string_view choices) {
  return fmt::format("\"{}\" is not one of {}", value, choices);
}

// `words`: separated by ", "; `meanings` has the value of each word at the same index.
template <typename Choice>
inline Wrong one_of(std::string_view value, std::string_view words,
                    std::initializer_list<Choice> meanings, Choice* to) {
  std::string_view rest = words;
  for (const Choice meaning : meanings) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (value == word) {
      *to = meaning;
      return "";
    }
    rest.remove_prefix(std::min(word.size() + 2, rest.size()));
  }
  return not_one_of(value, words);
}

inline Wrong yes_no(std::string_view value, bool* to) {
  if (value != "y" && value != "n") return not_one_of(value, "y, n");
  *to = value == "y";
  return "";
}

// A number with an optional suffix k, m or g (powers of 1024).
inline Wrong number(std::string_view value, std::int64_t low, std::int64_t high, bool size_suffix,
                    std::int64_t* to) {
  std::string_view digits = value;
  std::int64_t factor = 1;
  if (size_suffix && !digits.empty()) {
    const std::size_t unit = std::string_view("kKmMgG").find(digits.back());
    if (unit != std::string_view::npos) {
      factor = std::int64_t{1} << (10 * (unit / 2 + 1));
      digits.remove_suffix(1);
    }
  }
  const auto n = number_in<std::int64_t>(digits);
  const bool good = n && *n >= 0 && *n <= std::numeric_limits<std::int64_t>::max() / factor &&
                    *n * factor >= low && *n * factor <= high;
  if (!good) {
    return fmt::format("\"{}\" is not a number from {} to {}{}", value, low, high,
                       size_suffix ? " (k, m, g may follow)" : "");
  }
  *to = *n * factor;
  return "";
}

inline Wrong number32(std::string_view value, std::int64_t high, std::uint32_t* to,
                      std::int64_t low = 1) {
  std::int64_t n = 0;
  Wrong error = number(value, low, high, true, &n);
  if (error.empty()) *to = static_cast<std::uint32_t>(n);
  return error;
}

inline Wrong text(std::string_view value, std::string* to) {
  if (value.empty()) return "the value is empty";
  *to = value;
  return "";
}

}  // namespace ddm
