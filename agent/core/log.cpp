#include "core/log.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "core/jvm_text.h"

namespace ddm {
namespace {

// Longest wait for a stderr that accepts nothing; only reports wait, log lines do not. After one
// expired wait reports do not wait either until stderr accepts text again: the program's exit is
// delayed by one second in all.
constexpr int kReportPatienceMs = 1000;
std::atomic<bool> g_stderr_blocked{false};

std::atomic<LogLevel> g_level{LogLevel::kWarn};
std::atomic<bool> g_vm_ended{false};
std::atomic<std::uint64_t> g_lost_lines{0};
constinit thread_local std::vector<std::string>* t_kept_lines = nullptr;
constexpr std::size_t kMostKeptLines = 32;

bool is_kept(LogLevel level) { return t_kept_lines != nullptr && level <= LogLevel::kWarn; }

bool is_written(LogLevel level) {
  if (g_vm_ended.load(std::memory_order_acquire)) level = LogLevel::kDebug;
  return level <= g_level.load(std::memory_order_relaxed);
}

// Whether stderr accepts PIPE_BUF bytes now; only a pipe, a socket or a stopped terminal may not.
bool takes_text(int patience_ms) {
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  int ready = 0;
  do {
    ready = poll(&polled, 1, g_stderr_blocked ? 0 : patience_ms);
  } while (ready < 0 && errno == EINTR);
  const bool takes = ready > 0 && (polled.revents & POLLOUT) != 0;
  if (takes || patience_ms > 0) g_stderr_blocked = !takes;
  return takes;
}

// The descriptor is shared with the program, so O_NONBLOCK must not be set on it. The program may
// fill the pipe between poll() and write(), therefore this one write is non-blocking (RWF_NOWAIT).
ssize_t write_some(std::string_view text) {
  struct stat facts {};
  if (fstat(STDERR_FILENO, &facts) == 0 && S_ISFIFO(facts.st_mode)) {
    const iovec whole{const_cast<char*>(text.data()), text.size()};
    const ssize_t written = pwritev2(STDERR_FILENO, &whole, 1, -1, RWF_NOWAIT);
    if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
  }
  return write(STDERR_FILENO, text.data(), text.size());
}

// False: stderr is full or closed. Closing it is the program's right and no error.
bool write_all(std::string_view text, int patience_ms) {
  while (!text.empty()) {
    if (!takes_text(patience_ms)) return false;
    const ssize_t written = write_some(text.substr(0, PIPE_BUF));
    if (written < 0 && (errno == EINTR || (errno == EAGAIN && patience_ms > 0))) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Reports the number of dropped lines, once for all of them.
bool report_lost_lines(int patience_ms) {
  const std::uint64_t lost = g_lost_lines.exchange(0);
  if (lost == 0) return true;
  const std::string line =
      fmt::format("ddmagent: {} lines were lost, because nobody read stderr\n", lost);
  if (write_all(line, patience_ms)) return true;
  g_lost_lines += lost;
  return false;
}

bool write_or_count(std::string_view text, int patience_ms) {
  const int saved_errno = errno;
  const bool written = report_lost_lines(patience_ms) && write_all(text, patience_ms);
  if (!written) ++g_lost_lines;
  errno = saved_errno;
  return written;
}

}  // namespace

void set_log_level(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) { return is_written(level) || is_kept(level); }

void set_vm_ended() { g_vm_ended.store(true, std::memory_order_release); }

void log_line(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  // Paths and names are foreign text: they must not break the line or control a terminal.
  const std::string line = printable(text);
  if (is_kept(level) && t_kept_lines->size() < kMostKeptLines) t_kept_lines->push_back(line);
  if (is_written(level)) write_or_count("ddmagent: " + line + '\n', 0);
}

void log_failure(std::string_view what, const char* why) noexcept {
  try {
    log_error("{}: {}", what, why);
  } catch (const std::exception&) {  // an exception here would end the VM
    for (const std::string_view piece :
         {std::string_view("ddmagent: no memory: "), what, std::string_view("\n")}) {
      write_all(piece, 0);
    }
  }
}

LoggedHere::LoggedHere() { t_kept_lines = &lines_; }
LoggedHere::~LoggedHere() { t_kept_lines = nullptr; }

void announce(std::string_view text) {
  if (is_written(LogLevel::kWarn)) write_stderr("ddmagent: " + printable(text) + '\n');
}

bool write_stderr(std::string_view text) { return write_or_count(text, kReportPatienceMs); }

}  // namespace ddm
