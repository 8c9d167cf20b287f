#include "file_at_end.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "core/random_number.h"
#include "core/whole_text.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit{60};
// The time from the refusal of an agent whose VM ends to the end of the connection.
constexpr double kClosingSeconds = 2;

}  // namespace

FileAtEnd::FileAtEnd(const std::string& target, const std::string& path) {
  std::error_code wrong;
  const std::filesystem::path whole = std::filesystem::absolute(path, wrong);
  pid_ = number_in<pid_t>(target).value_or(0);
  const auto start_time = pid_ > 0 ? process_start_time(pid_) : std::nullopt;
  if (wrong || !start_time || !sees_directory(whole.parent_path())) return;
  start_time_ = *start_time;
  path_ =
      whole.parent_path() /
      fmt::format(".ddm-{:x}-{}", random_number().value_or(static_cast<std::uint64_t>(getpid())),
                  whole.filename().string());
}

bool FileAtEnd::connection_ends(DdmClient& client) {
  return client.idle(kClosingSeconds, [] { return false; }).has_value();
}

bool FileAtEnd::await() const {
  if (path_.empty()) return false;
  const auto limit = Clock::now() + kLimit;
  while (is_running() && Clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return access(path_.c_str(), F_OK) == 0;
}

// A zombie still has a pid, but no executable.
bool FileAtEnd::is_running() const {
  char program = 0;
  return readlink(fmt::format("/proc/{}/exe", pid_).c_str(), &program, 1) > 0 &&
         process_start_time(pid_) == start_time_;
}

// A program in a container may have another directory of that name.
bool FileAtEnd::sees_directory(const std::string& directory) const {
  struct stat here {
  }, there{};
  const std::string other = fmt::format("/proc/{}/root{}", pid_, directory);
  return stat(directory.c_str(), &here) == 0 && stat(other.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

}  // namespace ddm
