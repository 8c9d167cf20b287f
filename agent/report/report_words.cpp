#include "report/report_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "core/jvm_text.h"

namespace ddm {
namespace {

constexpr std::string_view kEllipsis = "...";
constexpr std::size_t kShortestClass = 12;  // shorter forms of a class name are useless
constexpr std::size_t kShortestFile = 12;

std::string utc(std::int64_t ms_since_epoch, bool with_millis) {
  std::int64_t millis = ms_since_epoch % 1000;
  if (millis < 0) millis += 1000;
  const auto seconds = static_cast<std::time_t>((ms_since_epoch - millis) / 1000);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return fmt::format("{} ms", ms_since_epoch);
  std::string text =
      fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900LL, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  if (with_millis) text += fmt::format(".{:03}", millis);
  return text;
}

// "org.example.web.Page" -> "o.e.web.Page": abbreviates packages from the left until `width` fits.
// The words of class_object_name() are kept: "j.l.Class for o.e.web.Page".
std::string with_short_packages(std::string_view name, std::size_t width) {
  std::string out;
  std::size_t columns = columns_of(name);
  while (columns > width) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) break;
    const std::string_view package = name.substr(0, dot);
    const std::size_t word = package.rfind(' ') + 1;  // npos: 0
    const std::string_view letter = package.substr(0, word + head_bytes(package.substr(word), 1));
    columns -= columns_of(package) - columns_of(letter);
    out.append(letter).append(1, '.');
    name.remove_prefix(dot + 1);
  }
  return out.append(name);
}

// "PageBuilder.java" for "org.example.PageBuilder$Part": the class implies the file name.
bool implies_file(std::string_view class_name, std::string_view file) {
  class_name.remove_prefix(class_name.rfind('.') + 1);  // npos: nothing
  class_name = class_name.substr(0, class_name.find('$'));
  return file.substr(0, file.find('.')) == class_name;
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while ((value >= 1023.95 || value <= -1023.95) && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_duration(std::int64_t ms) {
  constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t s = ms / 1000;
  if (s < kHour) return fmt::format("{} min {} s", s / kMinute, s % kMinute);
  if (s < kDay) return fmt::format("{} h {} min", s / kHour, s % kHour / kMinute);
  return fmt::format("{} d {} h", s / kDay, s % kDay / kHour);
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "0.0%";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string age_words(std::size_t age_class) {
  const std::int64_t least = AgeClass::least(age_class);
  if (age_class + 1 == AgeClass::kCount) return grouped(least) + "+";
  const std::int64_t most = AgeClass::least(age_class + 1) - 1;
  return most == least ? grouped(least) : fmt::format("{}-{}", grouped(least), grouped(most));
}

std::string utc_seconds(std::int64_t ms_since_epoch) { return utc(ms_since_epoch, false); }
std::string utc_millis(std::int64_t ms_since_epoch) { return utc(ms_since_epoch, true); }

std::string shortened(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) return std::string(text);
  if (width <= kEllipsis.size()) return std::string(text.substr(0, head_bytes(text, width)));
  const std::size_t kept = width - kEllipsis.size();
  std::string out(text.substr(0, head_bytes(text, kept / 2)));
  out.append(kEllipsis).append(text.substr(tail_begin(text, kept - kept / 2)));
  return out;
}

std::string shortened_type(std::string_view type_name, std::size_t width) {
  return shortened(with_short_packages(type_name, width), width);
}

std::string lock_text(std::string_view kind, std::string_view type_name) {
  const bool initialisation = kind == "enter" && type_name == "int[]";
  return std::string(type_name) + (initialisation ? " (a class is initialised)" : "");
}

std::string place_text(std::string_view file, int line) {
  if (line == kLineNative) return "Native Method";
  if (file.empty()) return "Unknown Source";
  return line >= 0 ? fmt::format("{}:{}", file, line) : std::string(file);
}

std::string shortened_frame(const PrintableMethod& method, std::string_view place,
                            std::size_t width) {
  std::string whole = fmt::format("{}({})", method.qualified, place);
  if (columns_of(whole) <= width) return whole;
  std::string tail = fmt::format(".{}({})", method.method, place);
  std::size_t room = width - std::min(width, columns_of(tail));
  std::string head = with_short_packages(method.class_name, room);
  const std::size_t colon = std::min(place.rfind(':'), place.size());
  if (columns_of(head) > room && colon != place.size() &&
      implies_file(method.class_name, place.substr(0, colon))) {
    tail = fmt::format(".{}({})", method.method, place.substr(colon));
    room = width - std::min(width, columns_of(tail));
    head = with_short_packages(method.class_name, room);
    if (room < kShortestClass) return shortened(head, kShortestClass) + tail;
  }
  if (room >= kShortestClass) return shortened(head, room) + tail;
  const std::string short_head = shortened(head, kShortestClass);
  if (colon == place.size()) return short_head + tail;  // "Native Method" is kept
  const auto with_file = [&](std::string_view file) {
    return fmt::format("{}.{}({}{})", short_head, method.method, file, place.substr(colon));
  };
  const std::size_t others = columns_of(with_file(""));
  const std::size_t file_room = width - std::min(width, others);
  return with_file(shortened(place.substr(0, colon), std::max(file_room, kShortestFile)));
}

}  // namespace ddm
