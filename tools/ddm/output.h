// The output of the commands: text and JSON to stdout, one-line errors to stderr.
//
// Tables and lists are fitted to the width of the terminal; a file or a pipe gets them in full. On a
// terminal the titles of tables are bold and the "ddm:" of errors is red, unless NO_COLOR is set
// (no-color.org) or TERM is dumb.
//
// All output goes through here, and text from other processes cannot control a terminal: printing
// removes all control characters but line ends (printable_lines() in core/jvm_text.h), and text
// quoted in a format, a table or a sentence loses line ends, too, so that no name forges a line. In
// JSON these characters are escaped as JSON does.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/jvm_text.h"

namespace ddm {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kNoWidth = std::size_t{1} << 30;

// Columns of the terminal on stdout, 80 if unknown; kNoWidth: not a terminal.
std::size_t output_width();

// The text broken at blanks into lines that end before `width`; the first one begins at column
// `indent`, where the others are indented to. A longer word has a line of its own.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// "a, b and 3 more": the first `most` of them.
std::string listed(const std::vector<std::string>& names, std::size_t most,
                   std::string_view before_more = " and ");

// fmt::format() that also removes line ends from its text arguments.
template <typename T>
using PrintableArg =
    std::conditional_t<std::is_convertible_v<const T&, std::string_view>, std::string, T>;
template <typename T>
PrintableArg<T> printable_arg(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}
template <typename... Args>
std::string printable_format(fmt::format_string<PrintableArg<Args>...> format,
                             const Args&... args) {
  return fmt::format(format, printable_arg(args)...);
}

void print(std::string_view text);
// The same, as a sink of pieces, which wants more.
inline bool print_piece(std::string_view piece) {
  print(piece);
  return true;
}
template <typename First, typename... Args>
void print(fmt::format_string<PrintableArg<First>, PrintableArg<Args>...> format,
           const First& first, const Args&... args) {
  print(fmt::format(format, printable_arg(first), printable_arg(args)...));
}
// A line, broken at blanks where a terminal is narrower.
void print_sentence(std::string_view text);
int print_json(const Json& value);  // returns kExitOk

// Whether all output has reached stdout. EPIPE is no failure: the reader has had enough.
bool output_complete();

// The exit code of a command whose output is printed: `code`, unless some of it was lost, which a
// line on stderr tells.
int exit_code_of(int code);

// Exit codes; kExitRefused: the target refused or is missing, or a file cannot be written.
inline constexpr int kExitOk = 0, kExitRefused = 1, kExitUsage = 2;

// "ddm: WHAT" on stderr, broken at blanks where that is a terminal; refuse() and misused() return
// kExitRefused and kExitUsage.
void complain(std::string_view what);
int refuse(std::string_view what);
int misused(std::string_view what);

// Columns as wide as their widest cell; the last one is not padded.
class TextTable {
 public:
  // "PID", ">PID" for a right-aligned column of numbers, "~NAME" for one whose cells may lose their
  // middle when the table is too wide, ".CLASS" for one of Java names, whose packages shrink first.
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

// To be checked before a measurement, not after it: "", or why no file of that path can be written.
std::string unwritable(const std::string& path);

// Progress of a long operation on a terminal: bytes received and time passed. Silent elsewhere, and
// in the first second. Erased before anything else is written; one at a time.
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
