#include "hex.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ddm {
namespace {

constexpr std::size_t kBytesPerLine = 16;

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

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
  Bytes result;
  int high = -1;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    const int digit = hex_digit(c);
    if (digit < 0) return {};
    if (high < 0) {
      high = digit;
    } else {
      result.push_back(static_cast<std::uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  if (high >= 0) return {};
  return result;
}

std::string to_hex(ByteSpan data) {
  std::string out;
  out.reserve(2 * data.size());
  for (const std::uint8_t byte : data) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

}  // namespace ddm
