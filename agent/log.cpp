#include "log.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <iterator>
#include <string>

namespace ddm {
namespace {

// A report may wait so long for a reader that takes nothing; a line does not wait.
constexpr int kReportPatienceMs = 1000;

std::atomic<LogLevel> g_level{LogLevel::kWarn};
std::atomic<std::uint64_t> g_lost_lines{0};
constinit thread_local std::vector<std::string>* t_kept_lines = nullptr;
constexpr std::size_t kMostKeptLines = 32;

// Whether stderr takes PIPE_BUF bytes. Everything but a pipe, a socket and a stopped terminal does.
bool takes_text(int patience_ms) {
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  int ready = 0;
  do {
    ready = poll(&polled, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (polled.revents & POLLOUT) != 0;
}

// The descriptor is the program's: it may not be made one that never waits. Between poll() and a
// plain write() the program itself may fill the pipe; so this one write is told not to wait.
ssize_t write_some(std::string_view text) {
  struct stat facts {};
  if (fstat(STDERR_FILENO, &facts) == 0 && S_ISFIFO(facts.st_mode)) {
    const iovec whole{const_cast<char*>(text.data()), text.size()};
    const ssize_t written = pwritev2(STDERR_FILENO, &whole, 1, -1, RWF_NOWAIT);
    if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
  }
  return write(STDERR_FILENO, text.data(), text.size());
}

// False: stderr takes no more, or is closed, which is the program's choice.
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

// Once for all that was lost before.
bool tell_of_lost_lines(int patience_ms) {
  const std::uint64_t lost = g_lost_lines.exchange(0);
  if (lost == 0) return true;
  const std::string line =
      fmt::format("ddmagent: {} lines were lost, because nobody read stderr\n", lost);
  if (write_all(line, patience_ms)) return true;
  g_lost_lines += lost;
  return false;
}

void write_or_count(std::string_view text, int patience_ms) {
  const int saved_errno = errno;
  if (!tell_of_lost_lines(patience_ms) || !write_all(text, patience_ms)) ++g_lost_lines;
  errno = saved_errno;
}

// Paths and names come from servers and programs: nothing in them may end the line, or tell a
// terminal what to do. UTF-8 stays; its control characters are 0xc2 and 0x80 to 0x9f.
void append_printable(std::string& line, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
    if (control) {
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
    } else {
      line += text[i];
    }
  }
}

}  // namespace

void set_log_level(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) { return level <= g_level.load(std::memory_order_relaxed); }

void log_line(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  std::string line = "ddmagent: ";
  append_printable(line, text);
  if (t_kept_lines != nullptr && level <= LogLevel::kWarn &&
      t_kept_lines->size() < kMostKeptLines) {
    t_kept_lines->push_back(line.substr(line.find(' ') + 1));
  }
  line += '\n';
  write_or_count(line, 0);
}

LoggedHere::LoggedHere() { t_kept_lines = &lines_; }
LoggedHere::~LoggedHere() { t_kept_lines = nullptr; }

void write_stderr(std::string_view text) { write_or_count(text, kReportPatienceMs); }

}  // namespace ddm
