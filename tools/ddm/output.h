// What the commands write: text and JSON to stdout, one line about what went wrong to stderr.
//
// Names come from other processes, so tables and sentences pass through printable(): nothing in
// them can command the terminal.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

using Json = nlohmann::ordered_json;

void print(std::string_view text);
void print_json(const Json& value);

// All of it has reached stdout. A reader that went away (EPIPE) counts as having had enough.
bool output_complete();

// "ddm: WHAT" on stderr; returns kExitRefused or kExitUsage.
int refuse(std::string_view what);
int misused(std::string_view what);

// A text as a JSON string: valid UTF-8, whatever it was.
Json json_text(std::string_view text);

// Columns as wide as their widest cell; the last one is not padded.
class TextTable {
 public:
  // "PID", or ">PID" for a column of numbers, which stand at the right.
  explicit TextTable(std::vector<std::string> titles);
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;  // [0] = titles
};

// Shows on a terminal how much of something long has arrived; silent elsewhere.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t bytes);

 private:
  const std::string what_;
  const bool terminal_;
  std::size_t shown_ = 0;
};

}  // namespace ddm
