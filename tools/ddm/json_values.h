// JSON values as the commands write and read them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "output.h"

namespace ddm {

// A text as a JSON string: valid UTF-8 for any input (an unpaired surrogate is U+FFFD).
Json json_text(std::string_view text);

// The array of what `make` returns for each.
template <typename List, typename Make>
Json json_list(const List& list, const Make& make) {
  Json all = Json::array();
  for (const auto& one : list) all.push_back(make(one));
  return all;
}

template <typename Texts>
Json json_texts(const Texts& texts) {
  return json_list(texts, [](const std::string& text) { return json_text(text); });
}

template <typename T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json frame_json(std::string_view class_name, std::string_view method, std::string_view file,
                       int line) {
  return {{"class", json_text(class_name)},
          {"method", json_text(method)},
          {"file", json_text(file)},
          {"line", line}};
}

// What a text says in JSON; a discarded value, which is of no type, if it is not valid or has more
// than 64 levels. Throws nothing.
Json parsed_json(std::string_view text);

// A member of an object; "", 0 and an empty array if it is missing or of another type.
std::string text_of(const Json& object, const char* name);
std::int64_t number_of(const Json& object, const char* name);
const Json& array_of(const Json& object, const char* name);

// Without the line end. Invalid UTF-8 becomes U+FFFD.
std::string json_line(const Json& value);
// The same, escaped so that it cannot end a page's script element.
std::string json_in_script(const Json& value);

}  // namespace ddm
