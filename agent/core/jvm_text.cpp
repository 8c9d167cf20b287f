#include "core/jvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/utf16.h"

namespace ddm {
namespace {

bool is_printable_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// Whether the character moves a terminal's cursor, breaks a line or reorders text: C0, DEL, C1,
// line and paragraph separators, bidirectional embeddings, overrides and isolates.
bool commands_a_terminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::string without_commands(std::string_view text, bool lines) {
  const auto is_plain = [lines](char c) { return is_printable_ascii(c) || (lines && c == '\n'); };
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    DecodedUtf8 one = decode_utf8(text.substr(at));
    if (one.length == 3 && is_high_surrogate(one.value) && at + 3 < text.size()) {
      const DecodedUtf8 low = decode_utf8(text.substr(at + 3));
      if (low.length == 3 && is_low_surrogate(low.value)) {
        one = {0x10000 + ((one.value - 0xD800) << 10) + (low.value - 0xDC00), 6};
      }
    }
    const char32_t c = one.value;
    if (one.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (lines && c == '\n') {
      out += '\n';
    } else if (commands_a_terminal(c) || is_high_surrogate(c) || is_low_surrogate(c)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      append_utf8(out, c);
    }
    at += std::max<std::size_t>(one.length, 1);
  }
  return out;
}

}  // namespace

std::string utf8_of(std::string_view jvm_text) {
  if (std::ranges::all_of(jvm_text, is_printable_ascii)) return std::string(jvm_text);
  return to_utf8(to_utf16(jvm_text));
}

void append_json_string(std::string& out, std::string_view jvm_text) {
  const std::string text = utf8_of(jvm_text);
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == '<' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '!')) {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string printable(std::string_view jvm_text) { return without_commands(jvm_text, false); }

std::string printable_lines(std::string_view text) { return without_commands(text, true); }

std::string escaped(std::string_view jvm_text) {
  std::string out;
  out.reserve(jvm_text.size());
  for (const char16_t c : to_utf16(utf8_of(jvm_text))) {
    if (c >= 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      out += c < 0x20 ? ' ' : static_cast<char>(c);
    }
  }
  return out;
}

std::string unescaped(std::string_view ascii) {
  constexpr std::size_t kDigits = 4, kLength = 2 + kDigits;
  std::string out;
  out.reserve(ascii.size());
  for (std::size_t at = 0; at < ascii.size();) {
    std::uint16_t unit = 0;
    if (ascii.substr(at, 2) == "\\u" && ascii.size() - at >= kLength) {
      const char* const digits = ascii.data() + at + 2;
      const auto read = std::from_chars(digits, digits + kDigits, unit, 16);
      if (read.ptr != digits + kDigits) unit = 0;
    }
    if (unit < 0x80) {
      out += ascii[at++];
    } else {
      append_utf8(out, unit);
      at += kLength;
    }
  }
  return utf8_of(out);
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return !is_continuation(c); }));
}

std::size_t head_bytes(std::string_view utf8, std::size_t characters) {
  std::size_t at = 0;
  for (; at < utf8.size(); ++at) {
    if (is_continuation(utf8[at])) continue;
    if (characters == 0) break;
    --characters;
  }
  return at;
}

std::size_t tail_begin(std::string_view utf8, std::size_t characters) {
  std::size_t at = utf8.size();
  while (at > 0 && characters > 0) {
    --at;
    if (!is_continuation(utf8[at])) --characters;
  }
  return at;
}

}  // namespace ddm
