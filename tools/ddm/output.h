// What the commands write: text and JSON to stdout, one line about what went wrong to stderr.
//
// Tables and lists keep to the width of the terminal. What is not a terminal (a file, a pipe) gets
// everything in full length.
//
// All of it passes here, and what comes from other processes is no command to a terminal: whatever is
// printed loses all control characters but the ends of lines (printable_lines() in
// core/jvm_text.h), and what a format, a table or a sentence quotes loses these, too, so that no
// name forges a line. In JSON the same escapes are JSON's own.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/jvm_text.h"

namespace ddm {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kNoWidth = std::size_t{1} << 30;

// Columns of the terminal on stdout, 80 if it does not say; kNoWidth if it is no terminal.
std::size_t output_width();

// The text broken at blanks into lines that end before `width`; the first one begins at column
// `indent`, where the others are indented to. A longer word stands alone.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// fmt::format() whose texts, as against its format, hold no end of a line either.
template <typename T>
using Harmless =
    std::conditional_t<std::is_convertible_v<const T&, std::string_view>, std::string, T>;
template <typename T>
Harmless<T> harmless(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}
template <typename... Args>
std::string said(fmt::format_string<Harmless<Args>...> format, const Args&... args) {
  return fmt::format(format, harmless(args)...);
}

void print(std::string_view text);
template <typename First, typename... Args>
void print(fmt::format_string<Harmless<First>, Harmless<Args>...> format, const First& first,
           const Args&... args) {
  print(fmt::format(format, harmless(first), harmless(args)...));
}
// A line, broken at blanks where a terminal is narrower.
void print_sentence(std::string_view text);
void print_json(const Json& value);
// Without the end of the line. What is no UTF-8 becomes U+FFFD.
std::string json_line(const Json& value);
// The same for a script element of a page, which nothing in it ends.
std::string json_in_script(const Json& value);

// All of it has reached stdout. A reader that went away (EPIPE) counts as having had enough.
bool output_complete();

// "ddm: WHAT" on stderr; refuse() and misused() return kExitRefused and kExitUsage.
void complain(std::string_view what);
int refuse(std::string_view what);
int misused(std::string_view what);

// A text as a JSON string: valid UTF-8, whatever it was (half of a surrogate pair is U+FFFD).
Json json_text(std::string_view text);

// Columns as wide as their widest cell; the last one is not padded.
class TextTable {
 public:
  // "PID", ">PID" for a column of numbers, which stand at the right, "~NAME" for one whose cells
  // may lose their middle when the table is too wide, ".CLASS" for one of Java names, whose
  // packages shrink first.
  explicit TextTable(std::vector<std::string> titles);
  void add(std::vector<std::string> cells);
  // A line of its own below the last row; not shortened.
  void add_line(const std::string& line);
  std::string text(std::size_t width = output_width()) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string below;
  };
  std::vector<std::size_t> widths(std::size_t width) const;

  std::vector<char> kinds_;  // the marks above, or ' '
  std::vector<Row> rows_;    // [0] = titles
};

// Shows on a terminal what takes long: how much of it has arrived, and for how long it goes on.
// Silent elsewhere, and in the first second. Gone before anything else is written; one at a time.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t bytes);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const std::string what_;
  const bool terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_at_{};
  bool shown_ = false;
};

}  // namespace ddm
