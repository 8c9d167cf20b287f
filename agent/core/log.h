// One line to stderr, prefixed `ddmagent:`; never stdout. Any thread; one write a line, so that
// lines of several threads do not mix. Nobody waits for whoever reads stderr: a line that it does
// not take is dropped and counted, and the count is told when it takes text again.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace ddm {

enum class LogLevel { kError, kWarn, kInfo, kDebug };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);

// While it lasts, the warnings and errors that the calling thread logs are kept, too: for who loads
// the agent from outside, and sees nothing of the program's stderr. One at a time.
class LoggedHere {
 public:
  LoggedHere();
  ~LoggedHere();
  LoggedHere(const LoggedHere&) = delete;
  LoggedHere& operator=(const LoggedHere&) = delete;
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// What is said once, unasked: where the agent can be reached. Not with log=error.
void announce(std::string_view text);

// The whole text to stderr as it is (reports and summaries). Waits for a reader as long as it takes
// something now and then, and a second when it does not; after that not at all, until it takes
// something again. False: it has not taken all of it.
bool write_stderr(std::string_view text);

template <typename... Args>
void log_at(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kError, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kWarn, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kInfo, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_at(LogLevel::kDebug, format, std::forward<Args>(args)...);
}

}  // namespace ddm
