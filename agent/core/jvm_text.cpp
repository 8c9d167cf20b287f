// Decoding of modified UTF-8. One decoder, two ways to write what it found.
#include "core/jvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ddm {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }
bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

// A code unit or character at `at` as its bits say, surrogates included; length 0 if malformed.
//
//   0xxxxxxx                              U+0000..007F
//   110xxxxx 10xxxxxx                     U+0080..07FF, and C0 80
//   1110xxxx 10xxxxxx 10xxxxxx            U+0800..FFFF
//   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx   U+10000..10FFFF (plain UTF-8, not modified)
struct Decoded {
  char32_t value = kReplacement;
  std::size_t length = 0;
};

Decoded decode_one(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  char32_t value = 0;
  if ((first & 0xE0) == 0xC0) {
    length = 2;
    value = first & 0x1F;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3;
    value = first & 0x0F;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4;
    value = first & 0x07;
  } else {
    return {};
  }
  if (text.size() - at < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return {};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool modified_nul = length == 2 && value == 0;
  if ((value < kSmallest[length] && !modified_nul) || value > 0x10FFFF) return {};
  return {value, length};
}

// Calls sink(Decoded, byte) for every character, with surrogate pairs joined; a surrogate without its
// other half is told as such, a malformed byte with length 0.
template <typename Sink>
void decode_all(std::string_view text, Sink sink) {
  for (std::size_t at = 0; at < text.size();) {
    Decoded one = decode_one(text, at);
    if (one.length == 3 && is_high_surrogate(one.value) && at + 3 < text.size()) {
      const Decoded low = decode_one(text, at + 3);
      if (low.length == 3 && is_low_surrogate(low.value)) {
        one = {0x10000 + ((one.value - 0xD800) << 10) + (low.value - 0xDC00), 6};
      }
    }
    sink(one, static_cast<unsigned char>(text[at]));
    at += std::max<std::size_t>(one.length, 1);
  }
}

// Calls sink(char32_t): what is no character is one U+FFFD for each of its bytes.
template <typename Sink>
void decode(std::string_view text, Sink sink) {
  decode_all(text, [&](const Decoded& one, unsigned char) {
    if (!is_high_surrogate(one.value) && !is_low_surrogate(one.value)) return sink(one.value);
    for (std::size_t i = 0; i < one.length; ++i) sink(kReplacement);
  });
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

bool is_printable_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// What moves a terminal's cursor, breaks a line, or shows what follows in another order: C0, DEL, C1,
// line and paragraph separator, embeddings, overrides and isolates of bidirectional text.
bool commands_a_terminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::string without_commands(std::string_view text, bool lines) {
  const auto is_plain = [lines](char c) { return is_printable_ascii(c) || (lines && c == '\n'); };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  decode_all(text, [&](const Decoded& one, unsigned char byte) {
    const char32_t c = one.value;
    if (one.length == 0) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (lines && c == '\n') {
      out += '\n';
    } else if (commands_a_terminal(c) || is_high_surrogate(c) || is_low_surrogate(c)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      append_utf8(out, c);
    }
  });
  return out;
}

}  // namespace

std::string utf8_of(std::string_view jvm_text) {
  if (std::all_of(jvm_text.begin(), jvm_text.end(), is_printable_ascii)) {
    return std::string(jvm_text);
  }
  std::string out;
  out.reserve(jvm_text.size());
  decode(jvm_text, [&](char32_t c) { append_utf8(out, c); });
  return out;
}

std::string printable(std::string_view jvm_text) { return without_commands(jvm_text, false); }

std::string printable_lines(std::string_view text) { return without_commands(text, true); }

std::string escaped(std::string_view jvm_text) {
  std::string out;
  out.reserve(jvm_text.size());
  decode(jvm_text, [&](char32_t c) {
    if (c >= 0x10000) {
      out += fmt::format("\\u{:04x}\\u{:04x}",
                         0xD800 + static_cast<std::uint32_t>((c - 0x10000) >> 10),
                         0xDC00 + static_cast<std::uint32_t>(c & 0x3FF));
    } else if (c >= 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      out += c < 0x20 ? ' ' : static_cast<char>(c);
    }
  });
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
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return !is_continuation(static_cast<unsigned char>(c));
  }));
}

std::size_t head_bytes(std::string_view utf8, std::size_t characters) {
  std::size_t at = 0;
  for (; at < utf8.size(); ++at) {
    if (is_continuation(static_cast<unsigned char>(utf8[at]))) continue;
    if (characters == 0) break;
    --characters;
  }
  return at;
}

std::size_t tail_begin(std::string_view utf8, std::size_t characters) {
  std::size_t at = utf8.size();
  while (at > 0 && characters > 0) {
    --at;
    if (!is_continuation(static_cast<unsigned char>(utf8[at]))) --characters;
  }
  return at;
}

}  // namespace ddm
