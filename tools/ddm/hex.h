// Bytes as people write and read them. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/chunks/chunk.h"

namespace ddm {

// The byte of the first two digits; none: they are not.
std::optional<std::uint8_t> hex_byte(std::string_view text);

// 48 65 6c 6c 6f  Hello, 16 bytes a line, each with its offset.
std::string hex_dump(ByteSpan data);

// "48 65 6C" or "48656c"; blanks are free. None: no hex digits, or an odd number of them.
std::optional<Bytes> parse_hex(std::string_view text);
std::string to_hex(ByteSpan data);

}  // namespace ddm
