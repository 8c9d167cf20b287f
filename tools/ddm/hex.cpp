#include "hex.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/whole_text.h"

namespace ddm {
namespace {

constexpr std::size_t kBytesPerLine = 16;

}  // namespace

std::string hex_dump(ByteSpan data) {
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += kBytesPerLine) {
    const ByteSpan line = data.subspan(at, std::min(kBytesPerLine, data.size() - at));
    std::string hex;
    std::string text;
    for (const std::uint8_t byte : line) {
      hex += fmt::format("{:02x} ", byte);
      text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    out += fmt::format("{:08x}  {:<{}} {}\n", at, hex, 3 * kBytesPerLine, text);
  }
  return out;
}

std::optional<Bytes> parse_hex(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](unsigned char c) { return std::isspace(c) == 0; });
  Bytes result;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const auto byte = hex_byte(std::string_view(digits).substr(at));
    if (!byte) return {};
    result.push_back(*byte);
  }
  return result;
}

std::optional<std::uint8_t> hex_byte(std::string_view text) {
  return text.size() < 2 ? std::nullopt : number_in<std::uint8_t>(text.substr(0, 2), 16);
}

std::string to_hex(ByteSpan data) { return fmt::format("{:02x}", fmt::join(data, "")); }

}  // namespace ddm
