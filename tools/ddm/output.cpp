#include "output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file_descriptor.h"
#include "core/new_file.h"
#include "report/report_words.h"

namespace ddm {
namespace {

int g_output_error = 0;          // the first one
Progress* g_progress = nullptr;  // shown in the terminal's last line
std::set<std::string> g_titles;  // first lines of tables

constexpr std::string_view kBold = "\033[1m", kRed = "\033[1;31m", kNormal = "\033[0m";

void clear_progress() {
  if (g_progress != nullptr) g_progress->clear();
}

void note_output(bool written) {
  if (!written && g_output_error == 0) g_output_error = errno != 0 ? errno : EIO;
}

// kNoWidth: not a terminal.
std::size_t width_of(int descriptor) {
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kLeast = 40;
  if (isatty(descriptor) == 0) return kNoWidth;
  std::size_t columns = 0;
  const char* asked = std::getenv("COLUMNS");
  winsize size{};
  if (asked != nullptr) columns = std::strtoul(asked, nullptr, 10);
  if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kUsual : std::max(columns, kLeast);
}

bool has_colors(int descriptor) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return isatty(descriptor) != 0 && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
         *term != '\0' && std::string_view(term) != "dumb";
}

// The text with those of its lines in bold that are a table's titles.
std::string with_bold_titles(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (g_titles.contains(line)) {
      out.append(kBold).append(line).append(kNormal);
    } else {
      out += line;
    }
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string unwritable(const std::string& path) {
  if (access(directory_of(path).c_str(), W_OK) == 0) return "";
  return errno_error("cannot write " + path).message;
}

std::size_t output_width() { return width_of(STDOUT_FILENO); }

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (column > indent && column + 1 + columns_of(word) > width) {
      out.append(1, '\n').append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns_of(word);
  }
  return out;
}

std::string listed(const std::vector<std::string>& names, std::size_t most,
                   std::string_view before_more) {
  const std::size_t shown = std::min(names.size(), most);
  std::string list = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > most) list += fmt::format("{}{} more", before_more, names.size() - most);
  return list;
}

void print(std::string_view text) {
  clear_progress();
  std::string shown = printable_lines(text);
  if (!g_titles.empty()) shown = with_bold_titles(shown);
  note_output(std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size());
}

void print_sentence(std::string_view text) {
  print(wrapped(printable(text), 0, output_width()) + "\n");
}

int print_json(const Json& value) {
  print(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return kExitOk;
}

bool output_complete() {
  note_output(std::fflush(stdout) == 0);
  return g_output_error == 0 || g_output_error == EPIPE;
}

int exit_code_of(int code) {
  if (output_complete()) return code;
  complain("cannot write to stdout: " + errno_text(g_output_error));
  return code == kExitOk ? kExitRefused : code;
}

void complain(std::string_view what) {
  clear_progress();
  note_output(std::fflush(stdout) == 0);  // keeps the order of stdout and stderr
  const std::size_t width = width_of(STDERR_FILENO);
  constexpr std::string_view kName = "ddm:";
  std::string line = fmt::format("{} {}", kName, printable(what));
  if (width != kNoWidth) line = wrapped(line, 0, width);
  if (has_colors(STDERR_FILENO))
    line = fmt::format("{}{}{}{}", kRed, kName, kNormal, line.substr(kName.size()));
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}
int refuse(std::string_view what) {
  complain(what);
  return kExitRefused;
}
int misused(std::string_view what) {
  complain(what);
  return kExitUsage;
}

TextTable::TextTable(std::vector<std::string> titles) {
  constexpr std::string_view kMarks = ">~.";
  for (std::string& title : titles) {
    const bool marked = !title.empty() && kMarks.find(title[0]) != std::string_view::npos;
    kinds_.push_back(marked ? title[0] : ' ');
    if (marked) title.erase(0, 1);
  }
  rows_.push_back({std::move(titles), ""});
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(kinds_.size());
  rows_.push_back({std::move(cells), ""});
}

void TextTable::add_line(const std::string& line) { rows_.back().below += printable(line) + "\n"; }

// Shrinks the widest of the columns that may shrink, as far as necessary.
std::vector<std::size_t> TextTable::widths(std::size_t width) const {
  constexpr std::size_t kLeast = 12;
  std::vector<std::size_t> result(kinds_.size());
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      result[i] = std::max(result[i], columns_of(row.cells[i]));
    }
  }
  std::size_t all = 2 * (result.size() - 1);
  for (const std::size_t one : result) all += one;
  for (; all > width; --all) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const bool shrinks = kinds_[i] == '~' || kinds_[i] == '.';
      if (shrinks && result[i] > kLeast && (widest == nullptr || result[i] > *widest)) {
        widest = &result[i];
      }
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return result;
}

std::string TextTable::text(std::size_t width) const {
  const std::vector<std::size_t> columns = widths(width);
  std::string out;
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string cell = kinds_[i] == '.' ? shortened_type(row.cells[i], columns[i])
                                                : shortened(row.cells[i], columns[i]);
      const std::string pad(columns[i] - columns_of(cell), ' ');
      const bool last = i + 1 == row.cells.size();
      if (kinds_[i] == '>') out += pad;
      out += cell;
      if (kinds_[i] != '>' && !last) out += pad;
      out += last ? "\n" : "  ";
    }
    out += row.below;
  }
  if (has_colors(STDOUT_FILENO)) g_titles.insert(out.substr(0, out.find('\n')));
  return out;
}

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO)) {
  g_progress = this;
}

Progress::~Progress() {
  clear();
  if (g_progress == this) g_progress = nullptr;
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void Progress::show(std::size_t bytes) {
  using std::chrono::milliseconds;
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - begin_ < milliseconds(1000) || now - shown_at_ < milliseconds(150))
    return;
  shown_at_ = now;
  shown_ = true;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count();
  const std::string size = bytes < 1024 ? "" : human_bytes(bytes) + ", ";
  const std::string line = fmt::format("\r{}: {}{} s\033[K", what_, size, seconds);
  std::fputs(line.c_str(), stderr);
}

}  // namespace ddm
