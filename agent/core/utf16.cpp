#include "core/utf16.h"

namespace ddm {

DecodedUtf8 decode_utf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t value = 0;
  if ((lead & 0xe0) == 0xc0) {
    length = 2;
    value = lead & 0x1f;
  } else if ((lead & 0xf0) == 0xe0) {
    length = 3;
    value = lead & 0x0f;
  } else if ((lead & 0xf8) == 0xf0) {
    length = 4;
    value = lead & 0x07;
  } else {
    return {};
  }
  if (text.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  // Overlong forms are rejected, except C0 80, the NUL of modified UTF-8.
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool nul = length == 2 && value == 0;
  if ((value < kSmallest[length] && !nul) || value > 0x10ffff) return {};
  return {value, length};
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::u16string to_utf16(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const DecodedUtf8 c = decode_utf8(text);
    if (c.length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(c.length);
    if (c.value < 0x10000) {
      out += static_cast<char16_t>(c.value);
    } else {
      out += static_cast<char16_t>(0xd800 + ((c.value - 0x10000) >> 10));
      out += static_cast<char16_t>(0xdc00 + ((c.value - 0x10000) & 0x3ff));
    }
  }
  return out;
}

std::string to_utf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char16_t unit = text[i];
    if (is_high_surrogate(unit) && i + 1 < text.size() && is_low_surrogate(text[i + 1])) {
      ++i;
      append_utf8(out, 0x10000 + (static_cast<char32_t>(unit & 0x3ff) << 10) + (text[i] & 0x3ff));
    } else {
      append_utf8(out, is_high_surrogate(unit) || is_low_surrogate(unit) ? kReplacement : unit);
    }
  }
  return out;
}

}  // namespace ddm
