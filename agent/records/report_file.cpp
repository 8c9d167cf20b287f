// Puts a report in place in one step. May be called by several threads; they take turns, since
// the temporary file's name is the process's.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "records/report.h"

namespace ddm {
namespace {

std::string problem(const std::string& path, int error) {
  char buffer[128];
  return fmt::format("cannot write {}: {}", path, strerror_r(error, buffer, sizeof buffer));
}

// 0 or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// O_EXCL: in a directory like /tmp nobody can lay a link where we are about to write.
int create_fresh(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const int fd = ::open(path.c_str(), kFlags, 0666);
  if (fd >= 0 || errno != EEXIST) return fd;
  // Left behind by a process that had our number.
  if (::unlink(path.c_str()) != 0) return -1;
  return ::open(path.c_str(), kFlags, 0666);
}

// `fill` is given the sink that leads into the file.
template <typename Fill>
std::string write_in_place(const std::string& path, Fill fill) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);

  struct stat target {};
  if (::stat(path.c_str(), &target) == 0 && !S_ISREG(target.st_mode)) {
    return fmt::format("cannot write {}: it is not a regular file", path);
  }
  const std::string fresh = fmt::format("{}.tmp-{}", path, ::getpid());
  const int fd = create_fresh(fresh);
  if (fd < 0) return problem(path, errno);
  int error = 0;
  fill([&](std::string_view piece) {
    error = write_all(fd, piece);
    return error == 0;
  });
  // Late write errors (quota, network file systems) show here. EINTR: Linux has closed it.
  if (::close(fd) != 0 && errno != EINTR && error == 0) error = errno;
  if (error == 0 && std::rename(fresh.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(fresh.c_str());
  return problem(path, error);
}

}  // namespace

std::string write_report_file(const std::string& path, ReportFormat format,
                              const ReportData& data) {
  return write_in_place(path, [&](const ReportSink& sink) { report_as(format, data, sink); });
}

std::string write_report_file(const std::string& path, std::string_view text) {
  return write_in_place(path, [&](const ReportSink& sink) { sink(text); });
}

}  // namespace ddm
