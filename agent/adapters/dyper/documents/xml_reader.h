// Parses a peer's document into a tree. The peer may be hostile: a DOCTYPE is refused (its entities
// may expand to gigabytes), size and depth are bounded, and only comments may surround the root
// element.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

inline constexpr std::size_t kMaxDocument = std::size_t{1} << 20;
inline constexpr int kMaxNesting = 64;

// The error is one sentence: what is wrong, and where.
Result<std::unique_ptr<pugi::xml_document>> read_xml(std::string_view text);

// "": the attribute is missing.
std::string_view attribute_of(pugi::xml_node node, const char* name);

// The element's text, trimmed.
std::string text_in(pugi::xml_node node);

// A flag as DYPER's clients write it: text that begins with one of `f F 0 n N` is false, any other
// text, "" too, is true. `missing`: the value without the attribute.
bool flag_of(pugi::xml_node node, const char* name, bool missing);

std::string in_capitals(std::string_view text);

// true, t, yes, y, 1 and their opposites, in any case; none: any other text.
std::optional<bool> boolean_of(std::string_view text);

}  // namespace ddm
