// The encoding of the page's trees: numbers in letters (A-Z, a-z, 0-9, +, /) of 5 bits each, lowest
// bits first; 32 is added to all letters of a number but the last. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ddm {

inline constexpr std::string_view kPageLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline void append_page_number(std::string& out, std::uint64_t number) {
  for (; number >= 32; number >>= 5) out += kPageLetters[32 + number % 32];
  out += kPageLetters[number];
}

// Decodes them; gives 0 once the text has ended or is damaged.
class PageNumbers {
 public:
  explicit PageNumbers(std::string_view text) : text_(text) {}

  bool more() const { return !damaged_ && at_ < text_.size(); }
  bool damaged() const { return damaged_; }
  std::uint64_t next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 60; shift += 5) {
      const std::size_t digit =
          at_ < text_.size() ? kPageLetters.find(text_[at_++]) : std::string_view::npos;
      if (digit == std::string_view::npos) break;
      number |= std::uint64_t{digit % 32} << shift;
      if (digit < 32) return number;
    }
    damaged_ = true;
    return 0;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool damaged_ = false;
};

}  // namespace ddm
