#include "output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "command.h"
#include "ddm/text.h"
#include "records/report_utf8.h"
#include "records/report_words.h"

namespace ddm {
namespace {

bool g_reader_gone = false;

int complain(std::string_view what, int code) {
  const std::string line = fmt::format("ddm: {}\n", printable(what));
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && errno == EPIPE) {
    g_reader_gone = true;
  }
}

void print_json(const Json& value) {
  print(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

bool output_complete() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  return g_reader_gone || errno == EPIPE;
}

int refuse(std::string_view what) { return complain(what, kExitRefused); }
int misused(std::string_view what) { return complain(what, kExitUsage); }

Json json_text(std::string_view text) { return utf8_of(text); }

TextTable::TextTable(std::vector<std::string> titles) {
  for (std::string& title : titles) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
  rows_.push_back(std::move(titles));
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(right_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(right_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - columns_of(row[i]), ' ');
      const bool last = i + 1 == row.size();
      if (right_[i]) out += pad;
      out += row[i];
      if (!right_[i] && !last) out += pad;
      out += last ? "\n" : "  ";
    }
  }
  return out;
}

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_ != 0) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  if (!terminal_ || bytes < shown_ + kStep) return;
  shown_ = bytes;
  const std::string line =
      fmt::format("\r{}: {}", what_, human_bytes(static_cast<std::int64_t>(bytes)));
  std::fputs(line.c_str(), stderr);
}

}  // namespace ddm
