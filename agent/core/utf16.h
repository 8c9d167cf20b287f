// Converts between the wire's text (UTF-16) and the agent's (UTF-8). Pure functions.
//
// Names from the VM are modified UTF-8 (JVMS 4.4.7), others may be sent by a foreign or broken
// peer, so every byte and every unit is accepted; what is not representable becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

inline constexpr char16_t kReplacement = 0xfffd;

// Accepts UTF-8 and modified UTF-8 (C0 80 for U+0000, surrogates of three bytes each). A malformed
// byte becomes one U+FFFD.
std::u16string to_utf16(std::string_view text);

// Decodes the character at the start of `text`, which is not empty. Surrogates and C0 80 are
// accepted, since modified UTF-8 uses them. Length 0: malformed.
//
//   0xxxxxxx                              U+0000..007F
//   110xxxxx 10xxxxxx                     U+0080..07FF, and C0 80
//   1110xxxx 10xxxxxx 10xxxxxx            U+0800..FFFF
//   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx   U+10000..10FFFF (plain UTF-8, not modified)
struct DecodedUtf8 {
  char32_t value = kReplacement;
  std::size_t length = 0;
};
DecodedUtf8 decode_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t c);
inline bool is_high_surrogate(char32_t c) { return c >= 0xd800 && c <= 0xdbff; }
inline bool is_low_surrogate(char32_t c) { return c >= 0xdc00 && c <= 0xdfff; }
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The result is always valid UTF-8: an unpaired surrogate becomes U+FFFD.
std::string to_utf8(std::u16string_view text);

}  // namespace ddm
