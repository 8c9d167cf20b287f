// JSON fragments shared by the jsonl report and the flame graph. Always valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/jvm_text.h"
#include "report/report.h"

namespace ddm {

void append_json_number(std::string& out, std::int64_t number);
void append_json_number(std::string& out, const std::optional<std::int64_t>& number);  // or null

// A number, perhaps none (null), a bool, or a JVM text.
template <typename Value>
void append_json_value(std::string& out, const Value& value) {
  static_assert(!std::is_floating_point_v<Value>, "its fraction would be lost");
  if constexpr (std::is_same_v<Value, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<Value>) {
    append_json_number(out, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    append_json_string(out, value);
  } else {
    append_json_number(out, value);
  }
}

// A member of an object, behind a comma unless it is the first. `key` needs no escapes.
void begin_json_member(std::string& out, std::string_view key);  // its value follows
template <typename Value>
void append_json_member(std::string& out, std::string_view key, const Value& value) {
  begin_json_member(out, key);
  append_json_value(out, value);
}

// Appends values with commas between them.
template <typename... Values>
void append_json_values(std::string& out, const Values&... values) {
  ((append_json_value(out, values), out += ','), ...);
  out.pop_back();
}

// Appends [...], with `append(element)` for each element.
template <typename Range, typename Append>
void append_json_array(std::string& out, const Range& range, Append append) {
  out += '[';
  for (bool first = true; const auto& element : range) {
    if (!std::exchange(first, false)) out += ',';
    append(element);
  }
  out += ']';
}

// Appends a frame's members without braces up to its line number: "class":,"method":,"file":,"line":
// and, if wanted, "signature": behind the method.
void append_frame_head(std::string& out, const MethodName& method, bool with_signature);

// The same without a signature, and with the number.
void append_frame_members(std::string& out, const MethodName& method, int line);

// Live objects by collections survived, youngest first: {"survived":4,"count":,"bytes":} are the
// objects that have survived 4 to 7. Zeros are omitted.
void append_live_ages(std::string& out, const LiveAges& ages);

// Appends the summary's members without braces: "pid":4711,"app":...
void append_summary_members(std::string& out, const ReportData& data);

}  // namespace ddm
