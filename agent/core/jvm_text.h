// Names as the JVM gives them -> text that is always valid UTF-8.
//
// Class, method and thread names come as modified UTF-8 (JVMS 4.4.7): U+0000 as C0 80,
// supplementary characters as two surrogates of three bytes each. They may also come from a
// damaged file or from a foreign server, so every byte sequence is accepted. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddm {

// Surrogate pairs become one character of four bytes, C0 80 becomes U+0000, whatever is neither
// that nor UTF-8 becomes U+FFFD, one for each bad byte.
std::string utf8_of(std::string_view jvm_text);

// The same for people: what would command a terminal, break a line or turn text around (control
// characters, line separators, U+202A to U+202E, U+2066 to U+2069) is shown as \u000a, half of a
// surrogate pair as \ud83d, a bad byte as \xff. What is printable stays as it is.
std::string printable(std::string_view jvm_text);

// The same of a whole text, whose lines stay. It is what everything passes on its way to a person.
std::string printable_lines(std::string_view text);

// The same in ASCII: other characters as \u00f6, beyond U+FFFF as two of them, control characters as
// a space. And back: what is escaped so, from \u0080 on.
std::string escaped(std::string_view jvm_text);
std::string unescaped(std::string_view ascii);

// Number of characters in valid UTF-8; taken as the number of columns.
std::size_t columns_of(std::string_view utf8);

// Bytes of the first `characters` characters, and where the last `characters` characters begin.
std::size_t head_bytes(std::string_view utf8, std::size_t characters);
std::size_t tail_begin(std::string_view utf8, std::size_t characters);

}  // namespace ddm
