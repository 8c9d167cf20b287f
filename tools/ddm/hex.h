// Bytes in hex. Pure functions.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/whole_text.h"
#include "wire/chunks/chunk.h"

namespace ddm {

// The byte of the first two digits; none: they are not.
inline std::optional<std::uint8_t> hex_byte(std::string_view text) {
  return text.size() < 2 ? std::nullopt : number_in<std::uint8_t>(text.substr(0, 2), 16);
}

inline std::string to_hex(ByteSpan data) { return fmt::format("{:02x}", fmt::join(data, "")); }

}  // namespace ddm
