// Converts names from the JVM to text that is always valid UTF-8.
//
// Class, method and thread names are modified UTF-8 (JVMS 4.4.7): U+0000 is C0 80, a supplementary
// character is two surrogates of three bytes each. Names may also be read from a damaged file or
// sent by a foreign server, so every byte sequence is accepted. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddm {

// A surrogate pair becomes one character of four bytes, C0 80 becomes U+0000; an unpaired surrogate
// becomes one U+FFFD, and so does each byte that is part of no valid sequence.
std::string utf8_of(std::string_view jvm_text);

// Appends a quoted JSON string; the text is the JVM's (modified UTF-8, any bytes). "</" and "<!"
// are broken up, so that the result is safe in an HTML script element.
void append_json_string(std::string& out, std::string_view jvm_text);

// For people: characters that control a terminal, break a line or reorder text (control characters,
// line separators, U+202A to U+202E, U+2066 to U+2069) are escaped as \u000a, an unpaired surrogate
// as \ud83d, a malformed byte as \xff. Printable characters are copied.
std::string printable(std::string_view jvm_text);

// The same for a text of several lines, keeping the line breaks. All text for people passes through
// it.
std::string printable_lines(std::string_view text);

// For people in ASCII: other characters as \u00f6, beyond U+FFFF as two escapes, control characters
// as a space. unescaped() is the inverse for escapes from \u0080 on.
std::string escaped(std::string_view jvm_text);
std::string unescaped(std::string_view ascii);

// Number of characters in valid UTF-8, which is assumed to be the number of columns.
std::size_t columns_of(std::string_view utf8);

// Bytes of the first `characters` characters, and the offset of the last `characters` characters.
std::size_t head_bytes(std::string_view utf8, std::size_t characters);
std::size_t tail_begin(std::string_view utf8, std::size_t characters);

}  // namespace ddm
