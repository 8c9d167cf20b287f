// One line to stderr, prefixed `ddmagent:`; never stdout. Any thread; one write per line, so lines
// of several threads do not mix. Logging never blocks: a line that stderr does not accept is
// dropped, and the number of dropped lines is reported once stderr accepts text again.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

enum class LogLevel { kError, kWarn, kInfo, kDebug };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);  // written to stderr, or kept (LoggedHere)
void log_line(LogLevel level, std::string_view text);
// Call after VMDeath was handled. From then on the VM refuses calls of the agent's remaining threads
// (WRONG_PHASE), which is no fault: warnings and errors count as debug.
void set_vm_ended();

// While an instance lives, warnings and errors that the calling thread logs are also kept, whatever
// the log level: a tool that attaches the agent does not see the program's stderr. At most one
// instance per thread.
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

// A line that is always logged except with log=error: where the agent can be reached.
void announce(std::string_view text);

// Writes the whole text unchanged to stderr (reports and summaries). Blocks for at most one second
// without progress; after such a timeout not at all, until stderr accepts text again. False: the
// text is incomplete.
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

// Logs an error "WHAT: WHY", or, without memory for that, that there is none.
void log_failure(std::string_view what, const char* why) noexcept;

// Runs `work`. An exception that leaves it is logged, after a word on what was being done.
template <typename Work>
void guarded(std::string_view what, const Work& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    log_failure(what, failure.what());
  }
}

}  // namespace ddm
