#include "log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

namespace ddm {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarn};

}  // namespace

void set_log_level(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) { return level <= g_level.load(std::memory_order_relaxed); }

void log_line(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  std::string line = "ddmagent: ";
  line += text;
  line += '\n';
  write_stderr(line);
}

void write_stderr(std::string_view text) {
  const int saved_errno = errno;
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // a closed stderr is the program's choice
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  errno = saved_errno;
}

}  // namespace ddm
