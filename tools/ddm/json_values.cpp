#include "json_values.h"

#include "core/jvm_text.h"

namespace ddm {
namespace {

// Copying and writing a value takes stack for each of its levels.
constexpr std::int64_t kMostLevels = 64;

// In text that is valid so far; what follows a mistake is not parsed.
bool nests_too_deep(std::string_view text) {
  std::int64_t levels = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size() && levels <= kMostLevels; ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      levels += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
  }
  return levels > kMostLevels;
}

}  // namespace

Json json_text(std::string_view text) { return utf8_of(text); }

Json parsed_json(std::string_view text) {
  if (nests_too_deep(text)) return Json::value_t::discarded;
  return Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

const Json& array_of(const Json& object, const char* name) {
  static const Json none = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : none;
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_in_script(const Json& value) {
  std::string text = json_line(value);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

}  // namespace ddm
