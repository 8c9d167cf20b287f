// A document from a peer -> a tree. The peer may be hostile: no DOCTYPE (entities that expand to
// gigabytes), bounded size and depth, one root element with nothing around it but comments.
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

// The error is one sentence that says what is wrong and where.
Result<std::unique_ptr<pugi::xml_document>> read_xml(std::string_view text);

// "" when it is not there.
std::string_view attribute_of(pugi::xml_node node, const char* name);
bool has_attribute(pugi::xml_node node, const char* name);

// The text inside, without blanks around it.
std::string text_in(pugi::xml_node node);

// As DYPER's clients write flags: `f F 0 n N` begin false, all else, "" too, is true. `missing`:
// the attribute is not there.
bool flag_of(pugi::xml_node node, const char* name, bool missing);

}  // namespace ddm
